"""Which outputs nbval compares: on a copy, cells are rendered, changed in one way each, checked.

The check runs amid settings of a person that would each change an output or stop the kernel.
"""

import base64
import json
import os
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

pytestmark = pytest.mark.slow

Cell = dict[str, Any]
Change = Callable[[Cell], None]

FIGURE = """import matplotlib.pyplot as plt
from IPython.display import display
fig, ax = plt.subplots(figsize=(2, 1))
ax.plot([0, 1])
plt.close(fig)
display(fig, metadata={'image/png': {'alt': 'a rising line'}})"""
HTML_FIGURE = """import base64, io
import matplotlib.pyplot as plt
from IPython.display import HTML
fig, ax = plt.subplots(figsize=(2, 1))
png = io.BytesIO()
fig.savefig(png)
plt.close(fig)
src = 'data:image/png;base64,' + base64.b64encode(png.getvalue()).decode()
HTML(f'<img alt="axes" src="{src}">')"""


def output(old: str, new: str) -> Change:
    """Change a text in the cell's outputs."""

    def change(cell: Cell) -> None:
        text = json.dumps(cell["outputs"])
        assert old in text
        cell["outputs"] = json.loads(text.replace(old, new))

    return change


def image(change_png: Callable[[bytes], bytes]) -> Change:
    """Change the cell's image, wherever it stands."""

    def change(cell: Cell) -> None:
        text = json.dumps(cell["outputs"])
        (old,) = re.findall(r"iVBOR[A-Za-z0-9+/=]+", text)  # how every PNG begins in base64
        new = base64.b64encode(change_png(base64.b64decode(old))).decode()
        cell["outputs"] = json.loads(text.replace(old, new))

    return change


def repacked(png: bytes, *, change_a_pixel: bool = False) -> bytes:
    out, text = BytesIO(), PngInfo()
    text.add_text("Software", "another compressor")
    with Image.open(BytesIO(png)) as picture:
        if change_a_pixel:
            red, *others = picture.getpixel((3, 5))
            picture.putpixel((3, 5), (red ^ 1, *others))
        picture.save(out, format="PNG", compress_level=1, pnginfo=text)
    return out.getvalue()


def with_a_pixel_changed(png: bytes) -> bytes:
    return repacked(png, change_a_pixel=True)


def corrupted(png: bytes) -> bytes:
    middle = len(png) // 2
    return png[:middle] + bytes([png[middle] ^ 0xFF]) + png[middle + 1 :]


def forget_outputs(cell: Cell) -> None:
    cell["outputs"] = []


# What must pass: (source, change after rendering).
SAME: dict[str, tuple[str, Change | None]] = {
    "streams": ("import sys\nprint(3.912023)\nprint('w', file=sys.stderr)\nprint('z')", None),
    "hidden result": ("x = 41\nx + 1;", None),
    "figure": (FIGURE, None),
    "figure of another compressor": (FIGURE, image(repacked)),
    "figure of another compressor in HTML": (HTML_FIGURE, image(repacked)),
    "hash": ("import os\nprint(os.environ['PYTHONHASHSEED'], hash('token'))", None),
    "settings": ("print('PYTHONWARNINGS' in os.environ, 'started' in globals())", None),
    "library": ("import probe_of_the_repository\nprobe_of_the_repository.__name__", None),
    "folder": ("from pathlib import Path\nPath.cwd().name", None),
    "exempt": ("# exempt: differs between runs\n# NBVAL_IGNORE_OUTPUT\nos.getpid()", None),
}
# What must fail, and the text that says so.
CHANGED: dict[str, tuple[str, Change, str]] = {
    "digit": ("print('loss', 3.912023)", output("3.912023", "3.912024"), "3.912024"),
    "stderr": (
        "import sys\nprint('a warning', file=sys.stderr)",
        output("a warning", "a warming"),
        "a warming",
    ),
    "html": (
        "from IPython.display import HTML, Latex, Markdown\nHTML('<b>85</b>')",
        output("85", "86"),
        "86",
    ),
    "latex": ("Latex('$d_k=16$')", output("d_k=16", "d_k=17"), "d_k=17"),
    "markdown": ("Markdown('**50**')", output("**50**", "**51**"), "51"),
    "result": ("41 + 1", output("42", "43"), "43"),
    "gone": ("41 + 1", forget_outputs, "Unexpected output fields"),
    "alt text": (FIGURE, output("rising", "falling"), "falling"),
    "pixel": (FIGURE, image(with_a_pixel_changed), "1 of "),
    "broken image": (FIGURE, image(corrupted), "the expected image is not a sound PNG"),
    "pixel in HTML": (HTML_FIGURE, image(with_a_pixel_changed), "1 of "),
    "alt text in HTML": (HTML_FIGURE, output("axes", "axis"), "axis"),
}


def hostile_environment(folder: Path) -> dict[str, str]:
    """Settings of a person that would each change an output, or stop the kernel."""
    startup = folder / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-mine.py").write_text("started = True\nprint('hello from my profile')")
    spec = folder / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    broken = {"argv": ["/nonexistent/python"], "display_name": "Mine", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(broken))
    (folder / "matplotlibrc").write_text("figure.facecolor: red\nlines.linewidth: 9\n")
    return os.environ | {
        "PYTHONWARNINGS": "always",
        "PYTHONHASHSEED": "7",
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PATH": str(folder / "jupyter"),
        "MATPLOTLIBRC": str(folder / "matplotlibrc"),
        "MPLBACKEND": "pdf",
        "FORCE_COLOR": "1",
        "DISPLAY": "",
    }


@pytest.fixture(scope="module")
def outcomes(
    new_harness: Callable[[], Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    harness = new_harness()
    (harness.folder / "probe_of_the_repository.py").touch()
    harness.write("same", *(source for source, _ in SAME.values()))
    harness.write("changed", *(source for source, _, _ in CHANGED.values()))
    harness.write("death", "x = 1", "x")
    harness.write("raises", "raise ValueError('50 is not in 0..49')", tags=["raises-exception"])
    done = harness.render()
    assert done.returncode == 0, done.stdout
    same, changed, death = (harness.load(name) for name in ("same", "changed", "death"))
    for cell, (_, change) in zip(same["cells"], SAME.values(), strict=True):
        if change:
            change(cell)
    for cell, (_, change, _) in zip(changed["cells"], CHANGED.values(), strict=True):
        change(cell)
    death["cells"][1]["source"] = "import os\nos._exit(3)"
    for name, notebook in (("same", same), ("changed", changed), ("death", death)):
        harness.save(name, notebook)
    return harness.nbval(env=hostile_environment(tmp_path_factory.mktemp("home")))


@pytest.mark.parametrize("case", SAME)
def test_the_same_content_passes_whatever_the_persons_settings(
    outcomes: dict[str, Any], case: str
) -> None:
    cell = f"Cell {list(SAME).index(case)}"
    assert cell in outcomes["same"].cells
    assert not outcomes["same"].cells[cell], outcomes["same"].cells[cell]


@pytest.mark.parametrize("case", CHANGED)
def test_a_changed_output_fails_and_is_shown(outcomes: dict[str, Any], case: str) -> None:
    said = outcomes["changed"].cells[f"Cell {list(CHANGED).index(case)}"]
    assert CHANGED[case][2] in said


def test_an_expected_exception_passes(outcomes: dict[str, Any]) -> None:
    assert not outcomes["raises"].failed


@pytest.mark.parametrize("case", ["pixel", "pixel in HTML"])
def test_a_changed_pixel_leaves_pictures_to_look_at(outcomes: dict[str, Any], case: str) -> None:
    said = outcomes["changed"].cells[f"Cell {list(CHANGED).index(case)}"]
    (stem,) = set(re.findall(r"see (.*)-\*\.png", said))
    for picture in ("expected", "got", "difference"):
        with Image.open(f"{stem}-{picture}.png") as opened:
            opened.verify()
    with Image.open(f"{stem}-difference.png") as difference:
        assert difference.getpixel((3, 5)) == 0
        assert difference.histogram()[0] == 1


def test_a_dead_kernel_is_named_within_seconds(outcomes: dict[str, Any]) -> None:
    assert "The kernel died (exit status 3)" in outcomes["death"].cells["Cell 1"]
    assert outcomes["death"].seconds < 15
