import numpy as np

from kagejax.evaluation import films, report


def summary(train_success=0.75, eval_success=0.25):
    metrics = {
        "return": [[-10.0, -30.0], [-1000.0, -2000.0]],
        "success_once": [[train_success] * 2, [eval_success] * 2],
        "length": [[500.0, 500.0], [500.0, 500.0]],
    }
    return report.summarize(("black", "noise"), metrics)


def test_means_and_standard_errors():
    assert summary()["black"]["return"] == {"mean": -20.0, "sem": 10.0}
    assert report.summarize(("one",), {"return": [[5.0]]})["one"]["return"] == {"mean": 5.0, "sem": 0.0}


def test_gaps_are_relative_but_for_the_return():
    gaps = report.gaps(summary(), "black")
    assert gaps == {"noise": {"return": 1480.0, "success_once": 2 / 3}}


def test_no_gap_relative_to_nothing():
    assert report.gaps(summary(train_success=0.0), "black")["noise"]["success_once"] is None


def test_seeds_are_averaged():
    overall = report.across_seeds([summary(0.5), summary(1.0)])
    assert overall["black"]["success_once"] == {"mean": 0.75, "sem": 0.25}


def test_configurations_that_no_figure_tells_apart_are_named():
    metrics = {"return": [[1.0, 3.0], [2.0, 2.0], [1.0, 3.0], [2.0, 2.0]], "jumps": [[0.0, 0.0]] * 4}
    first = report.summarize(("a", "b", "c", "d"), metrics)
    second = report.summarize(("a", "b", "c", "d"), metrics | {"jumps": [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 2.0]]})
    assert report.same_figures([first]) == [["a", "c"], ["b", "d"]]
    assert report.same_figures([first, second]) == [["a", "c"]]


def test_the_table_shows_seeds_their_mean_and_the_gap():
    text = report.table({"1": summary(0.5), "2": summary(1.0)}, "black")
    assert text == "\n".join(
        [
            "configuration  seed    return  success",
            "--------------------------------------",
            "black             1     -20.0    50.0%",
            "                  2     -20.0   100.0%",
            "               mean     -20.0    75.0%",
            "noise             1  -1,500.0    25.0%",
            "                  2  -1,500.0    25.0%",
            "               mean  -1,500.0    25.0%",
            "",
            "generalisation gap     return  success",
            "--------------------------------------",
            "noise                 1,480.0    66.7%",
        ]
    )


def test_panels_stand_side_by_side_under_their_names(tmp_path):
    frames = np.zeros((2, 3, 128, 128, 3), np.uint8)
    frames[:, 1] = 255
    sheet = films.side_by_side(frames, ("a", "b", "c"))
    assert sheet.shape == (2, 142, 3 * 128 + 8, 3)
    assert (sheet[:, 14:, 132:260] == 255).all()
    assert not sheet[:, 14:, :132].any()
    films.write_gif(tmp_path / "film.gif", sheet, 10.0)
    assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")
