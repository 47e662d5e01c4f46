"""From each layout to the long table."""
