"""Unpacking what students hand in: nothing climbs, nothing swells, one archive stops no other."""

from __future__ import annotations

import gzip
import io
import logging
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("nbgrader")

from course_lib.grading.nbgrader_plugin.archives import CarefulExtractor, folder_name
from course_lib.grading.nbgrader_plugin.extracted import Extracted

Members = dict[str, bytes]


def archive(members: Members) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return data.getvalue()


@pytest.fixture
def unpack(tmp_path, caplog):
    """Unpack what an LMS gives: unpack({name: bytes}, setting=…) → (files, what is said)."""

    def run(members: Members, **settings: int) -> tuple[dict[str, bytes], str]:
        (tmp_path / "archive").mkdir()
        (tmp_path / "archive" / "all.zip").write_bytes(archive(members))
        extractor = CarefulExtractor(**settings)
        extractor.log = logging.getLogger("unpacking")
        root = tmp_path / "extracted"
        root.mkdir()
        extractor.extract(str(tmp_path / "archive"), str(root))
        assert sorted(p.name for p in tmp_path.iterdir()) == ["archive", "extracted"]
        assert [p.name for p in root.iterdir()] == ["all"]
        place = root / "all"
        found = {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}
        return found, caplog.text

    return run


@pytest.mark.parametrize("name", ["...zip", "....zip", "..zip", "...tar.gz", " ...zip", ".. .zip"])
def test_an_archive_with_an_odd_name_is_unpacked_within_the_upload(unpack, name):
    evil = archive({"ada_101_999_p1.ipynb": b"{}", name: archive({"zoe_103_999_p1.ipynb": b"{}"})})
    found, _ = unpack({"mallory_102_3_hw.zip": archive({name: evil}), "ada_101_2_p1.ipynb": b"[]"})
    planted = [path for path in found if "999" in path]
    assert len(planted) == 2
    assert all(path.startswith("mallory_102_3_hw/") for path in planted)


@pytest.mark.parametrize(
    ("archive_name", "folder"),
    [
        ("hw.zip", "hw"), ("hw.tar.gz", "hw"), ("my.hw.gz", "my.hw"), ("...zip", "archive"),
        (".zip", "archive"), ("..tar.gz", "archive"), ("a\\..\\b.zip", "a_.._b"),
        ("a\n\x1bb.zip", "a__b"), ("C:.zip", "C_"), ("Übung 1.zip", "Übung 1"), ("hw", "hw"),
    ],
)  # fmt: skip
def test_the_name_of_the_folder_for_an_archive(archive_name, folder):
    assert folder_name(archive_name) == folder


def test_a_file_that_is_called_as_the_folder_of_an_archive_would_be(unpack):
    upload = archive({"x": b"1", "x.zip": archive({"y": b"2"}), "p1.ipynb": b"{}"})
    found, _ = unpack({"a_1_1_hw.zip": upload, "b_2_2_p1.ipynb": b"{}"})
    assert {"a_1_1_hw/x", "a_1_1_hw/x-2/y", "a_1_1_hw/p1.ipynb", "b_2_2_p1.ipynb"} <= set(found)


def test_an_archive_whose_folder_cannot_be_made_costs_that_archive_alone(unpack, monkeypatch):
    usual = Path.mkdir

    def mkdir(self: Path, *arguments: object, **named: object) -> None:
        if self.name == "bad":
            raise OSError(28, "No space left on device")
        usual(self, *arguments, **named)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    one = archive({"p1.ipynb": b"{}"})
    upload = archive({"bad.zip": one, "good.zip": one})
    found, said = unpack({"a_1_1_hw.zip": upload})
    assert "a_1_1_hw/good/p1.ipynb" in found
    assert "Cannot be unpacked ([Errno 28] No space left on device)" in said


def test_all_archives_of_one_student_share_one_limit(unpack):
    bomb = archive({"zeros": b"\0" * 900_000})
    nested = archive({f"{n}.zip": bomb for n in range(5)})
    members = {f"mallory_102_{n}_hw.zip": nested for n in range(3)}
    members["zoe_103_9_hw.zip"] = archive({"p1.ipynb": b"{}" * 1000})
    found, said = unpack(members, max_inner_megabytes=1)
    assert sum(len(data) for path, data in found.items() if path.endswith("zeros")) <= 10**6
    assert "zoe_103_9_hw/p1.ipynb" in found
    assert "it is too much" in said


def test_all_archives_of_one_student_share_one_number_of_files(unpack):
    many = archive({f"{n}.txt": b"" for n in range(40)})
    found, _ = unpack(
        {
            "mallory_102_3_hw.zip": archive({f"{n}.zip": many for n in range(5)}),
            "zoe_103_9_hw.zip": archive({"p1.ipynb": b"{}"}),
        },
        max_inner_files=50,
    )
    assert 40 <= sum(path.endswith(".txt") for path in found) <= 50
    assert "zoe_103_9_hw/p1.ipynb" in found


def test_folders_without_end_are_left_out_and_told(unpack, tmp_path):
    deep = {"a/" * depth + "p1.ipynb": b"{}" for depth in (2, 300, 1200)}
    found, said = unpack({"a_1_1_hw.zip": archive({**deep, "p1.ipynb": b"{}"})})
    kept = {path for path in found if path.endswith(".ipynb")}
    assert kept == {"a_1_1_hw/p1.ipynb", "a_1_1_hw/a/a/p1.ipynb"}
    assert said.count("more than 32 folders deep") == 2
    assert len(Extracted(str(tmp_path / "extracted"), {"p1.ipynb"}).look().by_path) == 2


def tar(members: dict[str, bytes], kind: str = "gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{kind}") as made:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return data.getvalue()


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", ""])
def test_tar_archives_of_each_kind(unpack, kind):
    upload = tar({"homework/p1.ipynb": b"{}", "a" * 150 + "/x": b"1"}, kind)
    found, said = unpack({"a_1_1_hw.tar.gz": upload})
    assert found["a_1_1_hw/homework/p1.ipynb"] == b"{}"
    assert found[f"a_1_1_hw/{'a' * 150}/x"] == b"1"
    assert not said


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_swells_is_not_read(unpack, kind, monkeypatch):
    read: list[int] = []
    usual = gzip.GzipFile.read

    def watched(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        data = usual(self, size)
        read.append(len(data))
        return data

    monkeypatch.setattr(gzip.GzipFile, "read", watched)
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 20 * 10**6
    bomb = gzip.compress(header.tobuf() + b"\0" * header.size, 1)
    found, said = unpack({"a_1_1_hw.tar.gz": bomb, "b_2_2_p1.ipynb": b"{}"})
    assert max(read) < 5 * 10**6
    assert "a header of it is too long" in said
    assert "b_2_2_p1.ipynb" in found


def test_what_is_skipped_counts_too(unpack, monkeypatch):
    from course_lib.grading.nbgrader_plugin import archives

    monkeypatch.setattr(archives, "SLACK", 10**6)
    upload = tar({f"../{n}": b"\0" * 10**6 for n in range(5)} | {"p1.ipynb": b"{}"})
    _, said = unpack({"a_1_1_hw.tar.gz": upload}, max_inner_megabytes=1)
    assert "Cannot be unpacked (it is too much)" in said


@pytest.mark.parametrize("name", ["x" * 300, "é" * 200, "a/" + "b" * 256 + "/c", "x\0y"])
def test_a_name_that_cannot_be_had_costs_that_file_alone(unpack, name):
    files, _ = unpack({"ada_1_10_p1.ipynb": b"1", f"bob_2_11_{name}.pdf": b"2", "carl.ipynb": b"3"})
    found = {path.rpartition("/")[2] for path in files}
    assert {"ada_1_10_p1.ipynb", "carl.ipynb"} <= found
