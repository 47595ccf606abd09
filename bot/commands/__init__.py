"""What people ask for, by slash command, button or message, and what each of them may do."""
