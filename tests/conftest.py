"""What tests share: where the data is, what this machine has, and the rule about skips.

Tests marked `shared`, `spark` or `browser` need something that not every machine has, and skip with the
reason where it is missing. Under RATERS_REQUIRE=1 a skip is a failure. Tests marked `long` say which of the
reasons below they have; `make test` leaves them to `make test-all`.

Files, and the tests in each file, run in a random order, so that no test can lean on what another left behind.
`--order` repeats an order that was printed.
"""

import importlib.util
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Before anything imports numpy: each worker has one core, and threads that wait for a core spin (a third of the
# CPU time of all tests). The command line does the same for itself.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The commands that tests start compile the package once, not half a second each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

REPOSITORY = Path(__file__).resolve().parent.parent
REQUIRE = os.environ.get("RATERS_REQUIRE", "") not in ("", "0")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if REQUIRE or os.environ.get("CI") else "default")


def find_data() -> Path | None:
    """The folder of shared test data: RATERS_TEST_DATA, else ../shared/data beside the repository."""
    folder = REPOSITORY / os.environ.get("RATERS_TEST_DATA", "../shared/data")
    return folder.resolve() if folder.is_dir() else None


def missing_data() -> str | None:
    if find_data() is None:
        return "shared test data not found: set RATERS_TEST_DATA, or put it at ../shared/data"
    return None


def missing_spark() -> str | None:
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark not found: pip install 'raters[spark]'"
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and Path(home, "bin", "java").exists()):
        return "java not found: Spark needs a Java runtime, 17 or newer"
    return None


def missing_browser() -> str | None:
    if not any(shutil.which(name) for name in CHROMIUM):
        return "chromium not found: install it, for example from your system's packages"
    return None


NEEDS = {"shared": missing_data, "spark": missing_spark, "browser": missing_browser}


LONG = ("coverage", "null rate", "chains", "house rule", "documentation build", "load", "lowest versions")
"""Why a test may be long: a simulation of coverage or of null rates, chains of a sampler, a rule of the house that is
tried on everything there is, a build of the documentation, a minute of load, an environment of the lowest versions.
Nothing else is left to `make test-all`.
"""


class SkipsFail:
    """Turns every skip, of a test or of a whole file, into a failure. An expected failure stays one.

    A plugin of its own, because the hooks of a conftest do not reach the doctests in src.
    """

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report = yield
        return self.failed(report)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self) -> Iterator[None]:
        report = yield
        return self.failed(report)

    @staticmethod
    def failed(report: Any) -> Any:
        if report.outcome == "skipped" and not hasattr(report, "wasxfail"):
            _, _, reason = report.longrepr
            report.outcome = "failed"
            report.longrepr = f"skipped under RATERS_REQUIRE=1: {reason.removeprefix('Skipped: ')}"
        return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--order", type=int, metavar="SEED", help="run the tests in the order of this seed")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.order is None:
        config.option.order = getattr(config, "workerinput", {}).get("order", random.randrange(1_000_000))
    if REQUIRE:
        config.pluginmanager.register(SkipsFail(), "skips-fail")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Workers run in the order of the process that starts them."""
    node.workerinput["order"] = node.config.option.order


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of tests: --order {config.option.order}"


@pytest.hookimpl(tryfirst=True)  # then pytest puts tests together that share a value of a fixture
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = {marker: missing() for marker, missing in NEEDS.items()}
    for item in items:
        for marker, reason in reasons.items():
            if reason is not None and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
        long = item.get_closest_marker("long")
        if long is not None and long.args not in [(reason,) for reason in LONG]:
            raise pytest.UsageError(f"{item.nodeid}: a long test says one of {', '.join(LONG)}")
    shuffle(items, random.Random(config.option.order))


def shuffle(items: list[pytest.Item], rng: random.Random) -> None:
    """Put files, and the tests within each, in a random order: what a file shares is made once. Files that use Spark
    come first and together, so that one worker starts it.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    order = list(files.values())
    rng.shuffle(order)
    for tests in order:
        rng.shuffle(tests)
    order.sort(key=lambda tests: not any(test.get_closest_marker("spark") for test in tests))
    items[:] = [test for tests in order for test in tests]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of shared test data. Tests that use it are marked `shared`."""
    folder = find_data()
    if folder is None:
        pytest.skip(str(missing_data()))
    return folder


@pytest.fixture(scope="session")
def oracles_dir(data_dir: Path) -> Path:
    """The folder of figures from papers and from other software, beside the data."""
    folder = data_dir.parent / "oracles"
    if not folder.is_dir():
        pytest.skip("oracles not found: they belong in the folder `oracles` beside RATERS_TEST_DATA")
    return folder


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A small local Spark session. Tests that use it are marked `spark`."""
    reason = missing_spark()
    if reason is not None:
        pytest.skip(reason)
    from pyspark.sql import SparkSession

    warehouse = tmp_path_factory.mktemp("spark") / "warehouse"
    session = (
        SparkSession.builder.master("local[2]")
        .appName("raters tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(warehouse))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
