"""The files of a build as prompts, posts and downloads show them."""

from dataclasses import replace

from bot.delivery.files import BuildFiles, attachments_of, file_listing, files_post, plain_name
from bot.store import ArtifactKind
from bot.store.repositories.artifacts import BUILT, Artifact
from bot.store.vocabulary import Actor

LIMITER = Artifact(
    id="art_1",
    run_id="rt_0a1b2c3d",
    attempt=2,
    kind=ArtifactKind.PRIMARY_OUTPUT,
    name=f"{BUILT}src/limiter.py",
    content="LIMIT = 3\n",
    sha256="0123456789abcdef" * 4,
    size=10,
    produced_by=Actor.EXECUTOR,
    created_at=0.0,
)
NOTES = replace(LIMITER, id="art_2", name=f"{BUILT}NOTES.md", content="# Notes\n", size=8)


def test_a_file_has_the_name_its_builder_gave() -> None:
    assert plain_name(LIMITER) == "src/limiter.py"


def test_reviewers_read_files_in_the_format_builders_write() -> None:
    assert file_listing([LIMITER, NOTES]) == (
        "FILE: src/limiter.py\n````\nLIMIT = 3\n````\nFILE: NOTES.md\n````\n# Notes\n````"
    )
    assert file_listing([]) == ""


def test_one_file_is_attached_as_it_is_and_several_as_an_archive() -> None:
    (one,) = attachments_of([LIMITER])
    assert (one.name, one.artifact_id) == ("limiter.py", "art_1")
    (archive,) = attachments_of([LIMITER, NOTES])
    assert archive.name == "build-2.zip"
    assert archive.artifact_id not in {"art_1", "art_2"}
    assert attachments_of([]) == ()


def test_the_post_lists_every_file_with_size_and_hash() -> None:
    """People can check what they download, and are told that nothing was run."""
    work = BuildFiles(1, "spec", ("It limits.",), "gpt", (LIMITER, NOTES))
    post = files_post(work, 2)
    assert post.key == "files@2"
    for shown in ("src/limiter.py", "NOTES.md", "10", "0123456789ab", "gpt"):
        assert shown in post.text
    assert LIMITER.sha256 not in post.text
    assert [file.name for file in post.attachments] == ["build-2.zip"]
