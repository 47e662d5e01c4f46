"""Engines hold the rows and run the GROUP BYs: DuckDB by default, Spark for Spark frames.

Both run the same SQL text. Nothing here imports Spark unless a Spark frame was given.
"""

from raters.engines.base import Source
from raters.engines.duckdb import DuckDBEngine

__all__ = ["DuckDBEngine", "Source"]
