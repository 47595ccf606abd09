"""Faces: the same for the same role, different for different ones, as Discord takes them."""

import io

from PIL import Image

from bot.panels import load_panels
from bot.pictures.faces import draw_face
from bot.settings import SHIPPED_PANELS

SIZE = 128


def test_a_face_is_a_small_square_picture() -> None:
    drawn = draw_face("Architect")

    assert Image.open(io.BytesIO(drawn)).size == (SIZE, SIZE)
    assert len(drawn) < 50_000


def test_a_role_keeps_its_face_however_it_is_spelled() -> None:
    assert draw_face("Architect") == draw_face(" ARCHITECT ")


def test_all_shipped_roles_look_different() -> None:
    panels = load_panels(SHIPPED_PANELS).panels
    roles = {agent.role for _, panel in panels.items() for agent in panel.agents}

    assert len({draw_face(role) for role in roles}) == len(roles)
