"""The palette: where two numbers are blended, the number in between is the shade in between."""

from bot.pictures.palette import SHADES, Palette


def test_the_numbers_between_two_colours_are_the_shades_between_them() -> None:
    palette = Palette()
    ground, faint, ink = palette.run("#000000", "#787878", "#ffffff")
    reds = palette.channels()[::3]
    assert (reds[ground], reds[faint], reds[ink]) == (0x00, 0x78, 0xFF)
    assert reds == sorted(reds)
    assert reds[(ground + faint) // 2] == 0x78 // 2
    assert faint - ground == ink - faint == SHADES


def test_runs_share_no_numbers() -> None:
    palette = Palette()
    first, second = palette.run("#102030", "#ffffff"), palette.run("#405060")
    assert set(range(first[0], first[1] + 1)).isdisjoint(second)
    assert palette.channels()[3 * second[0] :] == [0x40, 0x50, 0x60]
