"""A lesson without its optional packages says so in three lines, and stops there."""

import pytest

from course_lib.optional_packages import MissingPackagesError, require_packages


def test_packages_that_are_there_raise_nothing():
    require_packages("numpy", "json")


def test_the_error_names_what_is_missing_and_the_command_to_type():
    with pytest.raises(MissingPackagesError) as caught:
        require_packages("numpy", "no_such_package", "nor_this_one", command="make torch")
    message = str(caught.value)

    assert "no_such_package and nor_this_one" in message
    assert "numpy" not in message
    assert "`make torch`" in message


def test_a_notebook_cell_shows_the_message_without_a_traceback(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactiveshell.InteractiveShell()
    result = shell.run_cell(
        "from course_lib.optional_packages import require_packages\n"
        "require_packages('no_such_package')\n"
    )
    shown = capsys.readouterr().out

    assert isinstance(result.error_in_exec, MissingPackagesError)  # so no later cell runs
    assert "This lesson needs no_such_package" in shown
    assert "Traceback" not in shown
    assert "File" not in shown
