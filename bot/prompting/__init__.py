"""Renders prompts/*.md under the placeholder contract and reads what models answer."""
