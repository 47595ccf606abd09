"""Agents at the table: the seven discussion tools over the Model Context Protocol."""
