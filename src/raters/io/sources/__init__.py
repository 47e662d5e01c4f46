"""Where tables come from: files, frames, rows."""
