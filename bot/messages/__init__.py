"""Every sentence the bot says to people, one module per subject, one class per topic."""
