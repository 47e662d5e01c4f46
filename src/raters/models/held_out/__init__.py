"""Models that are named, checked by held-out labels: which predicts best, how much a label counts, which items are
hard.
"""
