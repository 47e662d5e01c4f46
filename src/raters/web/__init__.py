"""The local page: the report come alive, on this machine only. Needs the extra ``[web]``."""
