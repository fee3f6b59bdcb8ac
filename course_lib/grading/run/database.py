"""The connection to nbgrader's gradebook: one writer that waits for others, never half a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.grading.run.course import CourseError

if TYPE_CHECKING:
    from sqlalchemy import Engine

PATIENCE = 60  # seconds to wait for another program that writes to an SQLite file


def open_engine(db_url: str) -> Engine:
    """Return an engine for a gradebook's URL.

    With SQLite each transaction takes the write lock when it begins, so that what it reads stays
    true until it commits.
    """
    from sqlalchemy import create_engine, event, make_url

    if make_url(db_url).get_backend_name() != "sqlite":
        return create_engine(db_url, pool_pre_ping=True)
    engine = create_engine(db_url, connect_args={"timeout": PATIENCE})

    def no_hidden_begin(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # else Python's sqlite3 begins by itself, and late

    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "connect", no_hidden_begin)
    event.listen(engine, "begin", begin)
    return engine


def create_gradebook(db_url: str, course_id: str) -> None:
    """Create nbgrader's own tables, and the course in them, where they are missing.

    Raises:
        CourseError: the database cannot be opened, or its driver is not installed.
    """
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

    try:
        _create(db_url, course_id)
    except (ArgumentError, ImportError, NoSuchModuleError, OperationalError) as error:
        why = str(getattr(error, "orig", None) or error).strip()
        raise CourseError(
            f"the gradebook cannot be opened: {why}. See c.CourseDirectory.db_url in "
            'nbgrader_config.py; for PostgreSQL, pip install -e ".[grading,postgresql]"'
        ) from error


def _create(db_url: str, course_id: str) -> None:
    from nbgrader.api import Gradebook, get_alembic_version
    from sqlalchemy import inspect, text

    with Gradebook(db_url, course_id) as gradebook:
        # nbgrader writes the version last, and not at all if tables are there: without it,
        # `nbgrader db upgrade` would fail for ever once a first run is killed.
        if inspect(gradebook.engine).has_table("alembic_version"):
            if gradebook.db.execute(text("SELECT version_num FROM alembic_version")).first():
                return
        else:
            create = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"
            gradebook.db.execute(text(create))
        insert = text("INSERT INTO alembic_version (version_num) VALUES (:version)")
        gradebook.db.execute(insert, {"version": get_alembic_version()})
        gradebook.db.commit()
