"""How well a fit holds: against gold, and against itself."""
