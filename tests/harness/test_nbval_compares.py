"""Which outputs nbval compares: on a copy, each notebook is rendered, changed in one way, checked.

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

TEXT = [
    """import sys
print('loss', 3.912023)
print('a warning', file=sys.stderr)""",
    """from IPython.display import HTML, Latex, Markdown, display
display(HTML('<b>85</b>'), Latex('$d_k=16$'), Markdown('**50**'))""",
    """x = 41
x + 1;""",
    "x + 1",
]
FIGURE = [
    """import matplotlib.pyplot as plt
from IPython.display import display
fig, ax = plt.subplots(figsize=(2, 1))
ax.plot([0, 1])
plt.close(fig)
display(fig, metadata={'image/png': {'alt': 'a rising line'}})""",
]
SURROUNDINGS = [
    """import os, sys
print(os.environ['PYTHONHASHSEED'], hash('token'))
print('PYTHONWARNINGS' in os.environ, 'started' in globals(), sys.stdout.encoding)""",
    """import lesson_guard_probe
lesson_guard_probe.__name__""",
    """from pathlib import Path
Path.cwd().name""",
    """# exempt: the path of the running Python differs between machines
# NBVAL_IGNORE_OUTPUT
sys.prefix""",
    "assert sys.prefix == Path(sys.executable).parents[1].as_posix()",
]
RAISES = ["raise ValueError('index 50 is not in 0..49')"]

Cells = list[dict[str, Any]]


def in_output(cell: int, old: str, new: str) -> Callable[[Cells], None]:
    def change(cells: Cells) -> None:
        text = json.dumps(cells[cell]["outputs"])
        assert old in text
        cells[cell]["outputs"] = json.loads(text.replace(old, new))

    return change


def in_image(change_png: Callable[[bytes], bytes]) -> Callable[[Cells], None]:
    def change(cells: Cells) -> None:
        data = cells[0]["outputs"][0]["data"]
        png = change_png(base64.b64decode(data["image/png"]))
        data["image/png"] = base64.b64encode(png).decode()

    return change


def repacked(png: bytes, *, change_a_pixel: bool = False) -> bytes:
    out, text = BytesIO(), PngInfo()
    text.add_text("Software", "another compressor")
    with Image.open(BytesIO(png)) as image:
        if change_a_pixel:
            red, *others = image.getpixel((3, 5))
            image.putpixel((3, 5), (red ^ 1, *others))
        image.save(out, format="PNG", compress_level=1, pnginfo=text)
    return out.getvalue()


def corrupted(png: bytes) -> bytes:
    middle = len(png) // 2
    return png[:middle] + bytes([png[middle] ^ 0xFF]) + png[middle + 1 :]


def source_of(cell: int, source: str) -> Callable[[Cells], None]:
    return lambda cells: cells[cell].update(source=source)


def without_outputs(cell: int) -> Callable[[Cells], None]:
    return lambda cells: cells[cell].update(outputs=[])


def unchanged(cells: Cells) -> None:
    assert cells


# name → (the cells, the change after rendering)
NOTEBOOKS: dict[str, tuple[list[str], Callable[[Cells], None]]] = {
    "text": (TEXT, unchanged),
    "figure": (FIGURE, unchanged),
    "surroundings": (SURROUNDINGS, unchanged),
    "raises": (RAISES, unchanged),
    "digit": (TEXT, in_output(0, "3.912023", "3.912024")),
    "stderr": (TEXT, in_output(0, "a warning", "a warming")),
    "html": (TEXT, in_output(1, "85", "86")),
    "latex": (TEXT, in_output(1, "d_k=16", "d_k=17")),
    "markdown": (TEXT, in_output(1, "**50**", "**51**")),
    "result": (TEXT, in_output(3, "42", "43")),
    "gone": (TEXT, without_outputs(3)),
    "alt": (FIGURE, in_output(0, "rising", "falling")),
    "repacked": (FIGURE, in_image(repacked)),
    "pixel": (FIGURE, in_image(lambda png: repacked(png, change_a_pixel=True))),
    "corrupted": (FIGURE, in_image(corrupted)),
    "death": (["x = 1", "x"], source_of(1, "import os\nos._exit(3)")),
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
    (harness.folder / "lesson_guard_probe.py").touch()  # importable: it lies in the repository
    rendered = {}
    for name, (sources, _) in NOTEBOOKS.items():
        tags = ["raises-exception"] if sources is RAISES else None
        if sources not in rendered.values():
            harness.write(name, *sources, tags=tags)
            rendered[name] = sources
    done = harness.render(*(str(harness.lessons / f"{name}.ipynb") for name in rendered))
    assert done.returncode == 0, done.stdout
    original = {id(sources): harness.load(name) for name, sources in rendered.items()}
    for name, (sources, change) in NOTEBOOKS.items():
        notebook = json.loads(json.dumps(original[id(sources)]))
        change(notebook["cells"])
        harness.save(name, notebook)
    return harness.nbval(env=hostile_environment(tmp_path_factory.mktemp("home")))


@pytest.mark.parametrize("name", ["text", "figure", "surroundings", "raises", "repacked"])
def test_a_rendered_notebook_passes_whatever_the_persons_settings(
    outcomes: dict[str, Any], name: str
) -> None:
    assert not outcomes[name].failed, outcomes[name].text
    assert not outcomes[name].skipped


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("digit", "3.912024"),
        ("stderr", "a warming"),
        ("html", "86"),
        ("latex", "d_k=17"),
        ("markdown", "51"),
        ("result", "43"),
        ("gone", "text/plain"),
        ("alt", "falling"),
    ],
)
def test_a_changed_output_fails_and_is_shown(
    outcomes: dict[str, Any], name: str, shown: str
) -> None:
    assert outcomes[name].failed
    assert shown in outcomes[name].text


def test_a_changed_pixel_fails_with_pictures_to_look_at(outcomes: dict[str, Any]) -> None:
    text = outcomes["pixel"].text
    assert "1 of " in text
    (stem,) = set(re.findall(r"see (.*)-\*\.png", text))
    for picture in ("expected", "got", "difference"):
        with Image.open(f"{stem}-{picture}.png") as image:
            image.verify()
    with Image.open(f"{stem}-difference.png") as image:
        assert image.getpixel((3, 5)) == 0
        assert image.getextrema() == (0, 255)


def test_a_corrupted_image_is_named_as_such(outcomes: dict[str, Any]) -> None:
    assert "the expected image is not a sound PNG" in outcomes["corrupted"].text


def test_a_dead_kernel_is_named_within_seconds(outcomes: dict[str, Any]) -> None:
    assert "The kernel died (exit status 3)" in outcomes["death"].text
    assert outcomes["death"].seconds < 10
