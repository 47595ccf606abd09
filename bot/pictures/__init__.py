"""Pictures the bot draws itself: who agreed with whom, and the panelists' faces."""
