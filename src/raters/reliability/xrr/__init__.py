"""Cross-replication reliability: would another pool of raters have said the same?"""
