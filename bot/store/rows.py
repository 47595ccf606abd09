"""From frozen dataclasses to rows: fields and columns bear the same names."""

from typing import Any

from sqlalchemy import Table


def row_of(record: object, table: Table) -> dict[str, Any]:
    """The values of the record's fields that are columns of the table."""
    names = (column.name for column in table.columns)
    return {name: getattr(record, name) for name in names if hasattr(record, name)}
