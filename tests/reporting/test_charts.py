"""Charts leave as files."""


def test_charts_leave_as_svg_png_and_pdf(demo):
    chart = next(demo.section("agreement").charts())
    assert chart.svg().startswith("<svg") and chart.png()[:4] == b"\x89PNG" and chart.pdf()[:4] == b"%PDF"
