"""Judges that err together: published figures, laws, and recovery of what was simulated."""

import alt_test_data as collection
import numpy as np
import pytest

import raters
from raters.judges.kappas import checked
from raters.judges.people_and_judges import sides
from raters.judges.shared_errors import (
    correlations,
    effective_number,
    error_terms,
    mean_correlation,
    pair_p_values,
    several,
    within_classes,
)

SPEC = checked({"resamples": 200})


@pytest.mark.shared
@pytest.mark.parametrize("task", ["framing", "cebab_aspects", "lesion"])
def test_the_published_collection(task, data_dir, oracles_dir):
    want = collection.oracle(oracles_dir)["errors_and_effective_number"]["alt_test"][task]
    found = several(sides(*collection.pair(data_dir, task)), SPEC, 0)
    assert found.effective_number.value == pytest.approx(want["k_eff"], abs=1e-6) and found.n_items == want["items"]
    if task == "lesion":
        assert [found.corrected_correlation, found.corrected_number] == pytest.approx(
            [want["mean_r_corrected"], want["k_eff_corrected"]], abs=1e-6
        )
        return
    order = [want["models"].index(name) for name in found.judges]
    assert np.array(found.correlations) == pytest.approx(
        np.array(want["r_within_class"])[np.ix_(order, order)], abs=1e-6
    )
    assert (
        found.best_weights == pytest.approx(want["k_eff_best_weights"], abs=1e-6)
        and found.tied == want["items_left_out_tied"]
    )
    two = want["leave_two_out"]
    figures = [found.people_correlation.value, found.judges_correlation.value]
    assert figures == pytest.approx([two["people_mean_r"], two["judges_mean_r_same_reference"]], abs=1e-6)
    if task == "framing":
        noise = want["corrected_for_consensus_noise"]["deconvolution_within_class"]
        assert [found.corrected_correlation, found.corrected_number] == pytest.approx(
            [noise["mean_r"], noise["k_eff"]], abs=0.005
        )


def figures(errors, classes):
    k, j = int(classes.max()) + 1, errors.shape[1]
    r = correlations(within_classes(np.asarray(error_terms(errors, classes, k).sum(0)).reshape(1, -1), k, j)[0])
    return r, float(effective_number(mean_correlation(r), j))


@pytest.mark.shared
def test_a_small_table(oracles_dir):
    want = collection.oracle(oracles_dir)["errors_and_effective_number"]["small"]
    truth = np.array(want["consensus"])
    errors = (truth[:, None] != np.array(want["judges"]).T).astype(float)
    r, k_eff = figures(errors, truth)
    assert r == pytest.approx(np.array(want["r_within_class"]), abs=1e-8) and k_eff == pytest.approx(
        want["k_eff"], abs=1e-8
    )


@pytest.mark.parametrize("g", [2, 3])
def test_copies_count_once(g):
    """g copies of each of k / g judges with uncorrelated errors are exactly k / g."""
    one = np.array([[1, 0], [0, 1], [0, 0], [1, 1]] * 6, float)  # two judges whose errors are exactly uncorrelated
    _, k_eff = figures(np.repeat(one, g, axis=1), np.zeros(len(one), int))
    assert k_eff == pytest.approx(2, abs=1e-12)


def simulated(n, r, seed, k=5, wrong=0.15, people=3, right=0.85):
    """Judges whose errors are copied from a common one with probability sqrt(r), against people who err on their
    own.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    common = rng.random(n) < wrong
    judges = [np.where(rng.random(n) < np.sqrt(r), common, rng.random(n) < wrong) ^ truth for _ in range(k)]
    persons = [(rng.random(n) > right) ^ truth for _ in range(people)]

    def table(cols, who):
        return raters.read([(i, f"{who}{j}", "ny"[int(c[i])]) for j, c in enumerate(cols) for i in range(n)])

    return sides(table(persons, "p"), table(judges, "m"))


@pytest.mark.parametrize("r,k_eff,raw", [(0.0, 5.0, 2.7), (0.5, 1.667, 1.49)])
def test_the_effective_number_is_recovered_from_noisy_people(r, k_eff, raw):
    found = several(simulated(6000, r, 1), SPEC, 0)
    assert found.corrected_number == pytest.approx(k_eff, rel=0.12)
    assert (
        found.effective_number.value < min(k_eff, raw) * 1.15
    )  # uncorrected, people's own errors pass for shared ones


def test_only_the_excess_over_people_is_dependence():
    apart, alike = (several(simulated(1500, r, 2), SPEC, 200) for r in (0.0, 0.6))
    assert (
        apart.excess.low < 0.05
        and alike.excess.low > 0.1
        and "make the same errors more than people do" in alike.sentence
    )
    assert max(alike.p.values()) < 0.001


def test_the_test_of_pairs_is_that_of_permutations():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    e = (rng.random((200, 2)) < 0.3).astype(float)
    e[:40, 1] = e[:40, 0]
    seen = (e[:, 0] * e[:, 1]).sum()
    drawn = []
    for _ in range(3000):
        x = e[:, 0].copy()
        for c in (0, 1):
            x[truth == c] = rng.permutation(x[truth == c])
        drawn.append((x * e[:, 1]).sum())
    share = np.mean(np.array(drawn) > seen) + np.mean(np.array(drawn) == seen) / 2
    assert pair_p_values(e, truth, 2)[0] == pytest.approx(share, abs=0.02)


def test_families_and_one_judge():
    s = simulated(400, 0.3, 3)
    found = several(s, SPEC, 0, {"m0": "x", "m1": "x", "m2": "y"})
    assert set(found.families) == {"within", "between"}
    assert several(s.only(0), SPEC, 0) is None
