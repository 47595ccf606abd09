"""`python -m bot` and the `roundtable` script."""

from bot.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
