"""Cross-replication reliability: would another pool of raters give the same labels?"""
