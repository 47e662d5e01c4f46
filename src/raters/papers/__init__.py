"""The four papers that this library builds on: their printed figures compared with ours, with the reason for every
difference.
"""
