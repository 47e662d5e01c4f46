"""Consensus by stacking: several predictive models of an item's labels, weighted by how well they predict whole held-out items."""
