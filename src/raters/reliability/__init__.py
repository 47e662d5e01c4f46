"""Reliability beyond one coefficient: ICC, k-rater and cross-replication reliability, label sets, planning."""
