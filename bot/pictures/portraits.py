"""Faces, drawn once each."""

from functools import lru_cache


@lru_cache(maxsize=256)
def drawn_face(role: str) -> bytes:
    """The face as PNG."""
    # Pillow is slow to import, and a start should not pay for it.
    from bot.pictures.faces import draw_face  # noqa: PLC0415

    return draw_face(role)
