"""When a submission was handed in: what nbgrader writes is read, anything else is remarked on."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from course_lib.grading.submission import read_timestamp

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01 15:58:23.948203 UTC", datetime(2026, 3, 1, 15, 58, 23, 948203, UTC)),
        ("2026-03-01 15:58:23 America/Los_Angeles\n", datetime(2026, 3, 1, 23, 58, 23, 0, UTC)),
        ("2026-03-01T15:58:23.5+02:00", datetime(2026, 3, 1, 13, 58, 23, 500_000, UTC)),
        ("\ufeff2026-03-01 15:58", datetime(2026, 3, 1, 15, 58, tzinfo=UTC)),
    ],
)
def test_timestamps_are_read(text: str, expected: datetime, tmp_path: Path):
    (tmp_path / "timestamp.txt").write_text(text, "utf-8")
    assert read_timestamp(tmp_path, NOW) == (expected, ())


def test_no_timestamp_is_nothing_odd(tmp_path: Path):
    assert read_timestamp(tmp_path) == (None, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01 00:00:00 UTC",
        "2026-03-01 25:00:00 UTC",
        "1999-12-31 23:59:59 UTC",
        "0001-01-01 00:00:00 +23:59",
        "2026-05-02 00:00:00 UTC",
        "9999-12-31 23:59:59 America/Los_Angeles",
        "2026-03-01 15:58:23 UTC\n" * 100,
        "x" * 10_000_000,
        "٢٠٢٦-03-01 15:58:23 UTC",
    ],
)
def test_a_timestamp_that_cannot_be_is_remarked_on(text: str, tmp_path: Path):
    (tmp_path / "timestamp.txt").write_text(text, "utf-8")

    found, (remark,) = read_timestamp(tmp_path, NOW)

    assert found is None
    assert remark.kind == "timestamp"
    assert remark.needs_look
    assert len(remark.text) < 200


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "../../etc/passwd", "America", "/etc/passwd", "🙂"]
)
def test_an_unknown_zone_is_taken_for_utc_and_remarked_on(zone: str, tmp_path: Path):
    (tmp_path / "timestamp.txt").write_text(f"2026-03-01 15:58:23 {zone}", "utf-8")

    found, (remark,) = read_timestamp(tmp_path, NOW)

    assert found == datetime(2026, 3, 1, 15, 58, 23, tzinfo=UTC)
    assert remark.needs_look


def test_a_timestamp_that_is_no_file_is_left_alone(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("2026-03-01 15:58:23 UTC")
    for name in ("link", "folder", "pipe", "bytes"):
        (tmp_path / name).mkdir()
    (tmp_path / "link" / "timestamp.txt").symlink_to(secret)
    (tmp_path / "folder" / "timestamp.txt").mkdir()
    os.mkfifo(tmp_path / "pipe" / "timestamp.txt")
    (tmp_path / "bytes" / "timestamp.txt").write_bytes(b"\xff\xfe\xfd")
    for name in ("link", "folder", "pipe", "bytes"):
        found, (remark,) = read_timestamp(tmp_path / name, NOW)
        assert found is None
        assert remark.needs_look
