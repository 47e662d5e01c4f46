"""Charts leave as files."""


def test_charts_leave_as_svg_png_and_pdf(demo):
    chart = next(demo.section("agreement").charts())
    assert chart.svg().startswith("<svg") and chart.png()[:4] == b"\x89PNG" and chart.pdf()[:4] == b"%PDF"


def test_figures_have_room_beside_the_longest_bar_on_a_narrow_screen():
    from raters.charts.bars import bars

    texts = ["92% (1,841 items)", "8% (159 items)"]
    layer = bars(["settled", "open"], [1841, 159], texts=texts).narrow["layer"][0]
    end = layer["encoding"]["x"]["scale"]["domain"][1]
    room = 368 - layer["encoding"]["y"]["axis"]["minExtent"] - 48
    assert 1841 / end * room + 7 * len(texts[0]) <= room


def test_numbers_of_two_limits_do_not_meet_on_a_narrow_screen():
    from raters.charts.points import intervals

    chart = intervals(["alpha"], [0.5], axis="agreement", marks=(0.667, 0.8), marked="alpha")
    left, right = (m["mark"] for m in chart.narrow["layer"] if m["mark"].get("dy") == -9)
    assert (left["align"], right["align"]) == ("right", "left") and left["dx"] - right["dx"] <= 2
