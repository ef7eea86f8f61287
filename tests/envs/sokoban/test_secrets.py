"""Commitments to a secret seed: they fit one seed alone, and the secret is nobody else's."""

import hashlib
import json
import stat

import pytest

from kagejax.envs.sokoban import secrets


@pytest.fixture
def pair():
    return secrets.commit("hidden-style", 100, "kagejax 0.1.0", seed=4242)


def test_a_secret_fits_its_commitment(pair):
    public, private = pair
    assert secrets.verify(public, private) == 4242
    assert public.keys() == {"split", "levels", "generator", "sha256"}
    assert private.keys() == {"split", "levels", "generator", "seed", "nonce"}


def test_the_commitment_is_the_hash_of_seed_nonce_and_what_they_will_draw(pair):
    public, private = pair
    text = (
        '{"generator": "kagejax 0.1.0", "levels": 100, "nonce": "'
        + private["nonce"]
        + '", "seed": 4242, "split": "hidden-style"}'
    )
    assert public["sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_seeds_and_nonces_are_new_each_time():
    pairs = [secrets.commit("A", 100, "kagejax 0.1.0") for _ in range(20)]
    assert len({private["seed"] for _, private in pairs}) == 20
    assert len({private["nonce"] for _, private in pairs}) == 20
    assert all(len(private["nonce"]) == 32 and 0 <= private["seed"] < 2**63 for _, private in pairs)
    same = [secrets.commit("A", 100, "kagejax 0.1.0", seed=1)[0]["sha256"] for _ in range(2)]
    assert same[0] != same[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed": 4243}, "The seed is not the one that was committed to."),
        ({"seed": "4242"}, "The seed is not the one that was committed to."),
        ({"nonce": "00" * 16}, "The seed is not the one that was committed to."),
        ({"split": "A"}, "The secret is for split 'A', the commitment for 'hidden-style'."),
        ({"levels": 50}, "The secret is for levels 50, the commitment for 100."),
        ({"generator": "kagejax 9"}, "The secret is for generator 'kagejax 9', the commitment for 'kagejax 0.1.0'."),
    ],
)
def test_a_changed_secret_is_refused_with_the_reason(pair, change, reason):
    public, private = pair
    with pytest.raises(ValueError) as caught:
        secrets.verify(public, private | change)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "change", [{"split": "A"}, {"levels": 99}, {"generator": "kagejax 9"}, {"sha256": "0" * 64}, {"sha256": 3}]
)
def test_a_changed_commitment_is_refused(pair, change):
    public, private = pair
    bare = {"seed": private["seed"], "nonce": private["nonce"]}
    assert secrets.verify(public, bare) == 4242
    with pytest.raises(ValueError, match="The seed is not the one that was committed to"):
        secrets.verify(public | change, bare)


def test_what_is_missing_is_named(pair):
    public, private = pair
    public.pop("sha256")
    private.pop("nonce")
    with pytest.raises(ValueError, match="These are no commitment and secret: sha256, nonce missing"):
        secrets.verify(public, private)


def test_a_secret_that_was_kept_in_a_file_still_fits(pair, tmp_path):
    for content, name in zip(pair, ("public.json", "private.json"), strict=True):
        secrets.write(tmp_path / name, content, private=name == "private.json")
    assert secrets.verify(*(json.loads((tmp_path / name).read_text()) for name in ("public.json", "private.json"))) == 4242


def test_only_the_owner_reads_the_secret(pair, tmp_path):
    secrets.write(tmp_path / "public.json", pair[0])
    secrets.write(tmp_path / "private.json", pair[1], private=True)
    assert stat.S_IMODE((tmp_path / "private.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "public.json").stat().st_mode) & 0o444


@pytest.mark.parametrize("private", [True, False])
def test_nothing_is_written_over(pair, tmp_path, private):
    (tmp_path / "file.json").write_text("old")
    with pytest.raises(FileExistsError):
        secrets.write(tmp_path / "file.json", pair[1], private)
    assert (tmp_path / "file.json").read_text() == "old"
