"""Notes are values: a code and its facts. Their sentences stand in one catalogue, a file for each part of the house."""
