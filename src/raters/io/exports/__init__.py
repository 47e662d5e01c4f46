"""Exports of labelling tools and evaluation logs: one small reader a tool, one registry, one common form of row."""
