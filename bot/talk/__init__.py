"""Talk in a thread: drives the floor, hears people, and lets panelists answer them."""
