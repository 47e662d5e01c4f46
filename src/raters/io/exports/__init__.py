"""Exports of labelling tools and evaluation logs: one small reader per tool, one registry, one common row format."""
