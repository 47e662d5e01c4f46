"""The four papers that this library carries on: their printed figures beside ours, with the reason of every difference."""
