"""Readers of units from the exports of labelling tools, one file a tool."""
