"""One function a picture, from plain columns to one Vega-Lite specification; the report, notebooks and pages draw with
these.
"""
