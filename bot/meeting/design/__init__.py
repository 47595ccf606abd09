"""Who sits at the table: the meta-panel, its decision, the frozen design, the price."""
