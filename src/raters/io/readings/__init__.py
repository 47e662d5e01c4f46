"""How a table is to be read: what its columns hold, and which layout it has."""
