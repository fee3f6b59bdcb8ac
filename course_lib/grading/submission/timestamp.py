"""When a submission was handed in, as nbgrader's timestamp.txt has it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from course_lib.grading.result import Remark
from course_lib.grading.submission.files import read_bytes
from course_lib.grading.submission.remarks import plain

FILE_NAME = "timestamp.txt"
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = timedelta(hours=1)  # ahead of this machine's clock
_TIME = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(.*)", re.ASCII
)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?", re.ASCII)
_ZONE = re.compile(r"[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*", re.ASCII)


def read_timestamp(
    folder: Path, now: datetime | None = None
) -> tuple[datetime | None, tuple[Remark, ...]]:
    """Return when it was handed in (UTC, with its time zone), and what was odd.

    None if there is no timestamp.txt, which is nothing odd, or if it cannot be believed: it is a
    link, too long, malformed, before 2000 or after now.
    """
    return read_time(folder / FILE_NAME, now)


def read_time(
    path: Path, now: datetime | None = None
) -> tuple[datetime | None, tuple[Remark, ...]]:
    """Return the time that a file of that kind holds, and what was odd, as `read_timestamp`."""
    try:
        text = read_bytes(path, limit=200).decode("utf-8-sig").strip()
    except FileNotFoundError:
        return None, ()
    except UnicodeDecodeError:
        return _refused("it is no text")
    except OSError:
        return _refused("it is no ordinary file that can be read")
    except ValueError:
        return _refused("it is too long")
    return _checked(text, now or datetime.now(UTC))


def _checked(text: str, now: datetime) -> tuple[datetime | None, tuple[Remark, ...]]:
    found = _TIME.fullmatch(text)
    if not found:
        return _refused(f'"{plain(text)}" is no time')
    *numbers, fraction, zone = found.groups()
    remarks: tuple[Remark, ...] = ()
    try:
        time = datetime(*(int(number or 0) for number in numbers), tzinfo=UTC)  # type: ignore[arg-type,misc]
        time += timedelta(microseconds=int((fraction or "0").ljust(6, "0")[:6]))
        shifted = _in_utc(time, zone)
    except (ValueError, OverflowError):
        return _refused(f'"{plain(text)}" is no time')
    if shifted is None:
        remarks = (_remark(f'the time zone "{plain(zone)}" is unknown; UTC was assumed'),)
        shifted = time
    if shifted < EARLIEST:
        return _refused(f'"{plain(text)}" is before 2000')
    if shifted > now + LATEST:
        return _refused(f'"{plain(text)}" is in the future')
    return shifted, remarks


def _in_utc(time: datetime, zone: str) -> datetime | None:
    """Return a time of that zone in UTC, None if there is no such zone."""
    if zone in ("", "Z", "UTC", "GMT"):
        return time
    if offset := _OFFSET.fullmatch(zone):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return time - ahead if offset[1] == "+" else time + ahead
    if not _ZONE.fullmatch(zone):
        return None
    try:
        return time.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    except (KeyError, ValueError, OSError):  # a folder of the zone database raises OSError
        return None


def _refused(reason: str) -> tuple[None, tuple[Remark, ...]]:
    return None, (_remark(reason),)


def _remark(reason: str) -> Remark:
    return Remark("timestamp", f"{FILE_NAME} cannot be trusted: {reason}.", needs_look=True)
