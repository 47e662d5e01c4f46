"""Charts leave as files."""

from raters.reporting.charts import pdf, png, svg


def test_charts_leave_as_svg_png_and_pdf(demo):
    chart = next(demo.section("agreement").charts())
    assert svg(chart).startswith("<svg") and png(chart)[:4] == b"\x89PNG" and pdf(chart)[:4] == b"%PDF"
