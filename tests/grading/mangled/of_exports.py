"""What other tools make of a notebook."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import escape
from typing import Any

from tests.grading.mangled.assignment import ANSWERS
from tests.grading.mangled.mangling import (
    Notebook,
    cell,
    code,
    on_bytes,
    on_notebook,
    sources,
    strip,
    text,
    without,
)

BY_PLACE = {"remarks": {"found_by_name", "found_by_position"}, "needs_look": True}
SCRIPT = {"remarks": {"script", "found_by_name", "found_by_position"}, "needs_look": True}


@on_notebook(remarks={"other_tool"})
def saved_by_colab(notebook: Notebook) -> None:
    notebook["nbformat_minor"] = 0
    notebook["metadata"] |= {"colab": {"provenance": [], "toc_visible": True}}
    for one in notebook["cells"]:
        one["metadata"] |= {"id": one.pop("id"), "colab": {"base_uri": "https://example.org/"}}
    badge = text('<a href="https://example.org"><img src="badge.svg" alt="Open In Colab"/></a>')
    notebook["cells"].insert(0, badge | {"metadata": {"id": "view-in-github"}})


@on_notebook(remarks={"found_by_cell_id", "other_kernel"})
def saved_by_vs_code(notebook: Notebook) -> None:
    notebook["metadata"]["kernelspec"] |= {"name": "venv", "display_name": ".venv (3.12.3)"}
    for one in notebook["cells"]:
        one["metadata"] = {"vscode": {"languageId": "python"}}


@on_notebook(**BY_PLACE)
def saved_by_kaggle(notebook: Notebook) -> None:
    notebook["metadata"]["kaggle"] = {"accelerator": "none", "isInternetEnabled": False}
    notebook["nbformat_minor"] = 4
    for one in notebook["cells"]:
        del one["id"]
        one["metadata"] = {"trusted": True, "_uuid": "8f2839f2", "execution": {"shell.x": "2024"}}
        one["source"] = "".join(one["source"])


@on_notebook(**BY_PLACE)
def saved_by_deepnote(notebook: Notebook) -> None:
    notebook["metadata"] = {"deepnote": {}, "deepnote_notebook_id": "1f", "orig_nbformat": 2}
    notebook["nbformat_minor"] = 0
    for number, one in enumerate(notebook["cells"]):
        del one["id"]
        one["metadata"] = {"cell_id": f"{number:032x}", "deepnote_cell_type": one["cell_type"]}
        one["source"] = "".join(one["source"])
    notebook["cells"].append(text("<a href='https://example.org'>Created in Deepnote</a>"))


@on_notebook(**BY_PLACE)
def notebook_of_databricks(notebook: Notebook) -> None:
    strip(notebook)
    notebook["metadata"] = {
        "application/vnd.databricks.v1+notebook": {"language": "python", "widgets": {}},
        "language_info": {"name": "python"},
    }
    notebook["nbformat_minor"] = 0
    for number, one in enumerate(notebook["cells"]):
        one["metadata"] = {"application/vnd.databricks.v1+cell": {"nuid": str(number), "title": ""}}


def _commented(source: str, sign: str = "# ") -> str:
    return "\n".join((sign + line).rstrip() for line in source.split("\n"))


@on_bytes(**SCRIPT)
def script_of_databricks(data: bytes) -> bytes:
    parts = []
    for kind, source in sources(json.loads(data)):
        parts.append(_commented(f"%md\n{source}", "# MAGIC ") if kind == "markdown" else source)
    body = "\n\n# COMMAND ----------\n\n".join(parts)
    return f"# Databricks notebook source\n{body}\n".encode()


@on_bytes(**SCRIPT)
def script_in_percent_format(data: bytes) -> bytes:
    parts = ["# ---\n# jupyter:\n#   kernelspec:\n#     name: python3\n# ---\n"]
    for kind, source in sources(json.loads(data)):
        markdown = kind == "markdown"
        parts.append(
            f"# %% [markdown]\n{_commented(source)}\n" if markdown else f"# %%\n{source}\n"
        )
    return "\n".join(parts).encode()


@on_bytes(remarks={"script"})
def script_in_percent_format_with_metadata(data: bytes) -> bytes:
    parts = []
    for one in json.loads(data)["cells"]:
        marks = one["metadata"].get("nbgrader")
        option = f" nbgrader={json.dumps(marks)}" if marks else ""
        source = "".join(one["source"])
        if one["cell_type"] == "markdown":
            parts.append(f'# %% [markdown]{option}\n"""\n{source}\n"""\n')
        else:
            parts.append(f"# %%{option}\n{source}\n")
    return "\n".join(parts).encode()


@on_bytes(**SCRIPT)
def script_in_light_format(data: bytes) -> bytes:
    parts = []
    for kind, source in sources(json.loads(data)):
        parts.append(_commented(source) if kind == "markdown" else f"# +\n{source}\n# -")
    return ("\n\n".join(parts) + "\n").encode()


@on_bytes(**SCRIPT)
def script_exported_by_jupyter(data: bytes) -> bytes:
    parts = ["#!/usr/bin/env python\n# coding: utf-8\n"]
    for number, (kind, source) in enumerate(sources(json.loads(data))):
        block = f"# In[{number}]:\n\n\n{source}\n" if kind == "code" else _commented(source) + "\n"
        parts.append(block)
    return "\n\n".join(parts).encode()


@on_bytes(
    recovered=without("why"),
    remarks={"script", "found_by_name", "missing_answer"},
    needs_look=True,
    extra=("SCALE = 3",),
)
def script_without_marks(data: bytes) -> bytes:
    return "\n\n\n".join(s for kind, s in sources(json.loads(data)) if kind == "code").encode()


@on_bytes(
    recovered=without("why"), remarks={"script", "found_by_name", "missing_answer"}, needs_look=True
)
def script_of_the_answers_alone(data: bytes) -> bytes:
    return "\n\n\n".join(list(ANSWERS.values())[:3]).encode()


@on_bytes(
    recovered=without("why"),
    remarks={"script", "found_by_name", "missing_answer"},
    needs_look=True,
    extra=("print 'done'",),
)
def script_that_does_not_parse(data: bytes) -> bytes:
    answers = "\n\n".join(list(ANSWERS.values())[:3])
    return f"{answers}\n\nprint 'done'\n".encode()


@on_bytes(**SCRIPT)
def script_of_marimo(data: bytes) -> bytes:
    parts = ['import marimo\n\n__generated_with = "0.9.14"\napp = marimo.App()\n']
    for kind, source in sources(json.loads(data)):
        shown = f'mo.md(\n    r"""\n    {source}\n    """\n)' if kind == "markdown" else source
        inner = "\n".join(f"    {line}".rstrip() for line in shown.split("\n"))
        parts.append(f"@app.cell\ndef _(math, mo):\n{inner}\n    return\n")
    parts.append('if __name__ == "__main__":\n    app.run()\n')
    return "\n\n".join(parts).encode()


@on_bytes(remarks={"script"}, needs_look=True)
def exported_as_markdown(data: bytes) -> bytes:
    parts = []
    for kind, source in sources(json.loads(data)):
        parts.append(source if kind == "markdown" else f"```python\n{source}\n```")
    return "\n\n".join(parts).encode()


@on_bytes(texts={"why": ANSWERS["why"].replace("*", "")}, remarks={"web_page"}, needs_look=True)
def exported_as_web_page(data: bytes) -> bytes:
    parts = [
        '<!DOCTYPE html>\n<html><head><title>homework</title></head><body class="jp-Notebook">'
    ]
    for kind, source in sources(json.loads(data)):
        if kind == "markdown":
            shown = escape(source).replace("**", "").replace("## ", "").replace("`", "")
            inner = "\n".join(f"<p>{line}</p>" for line in shown.split("\n"))
            parts.append(f'<div class="jp-RenderedHTMLCommon jp-RenderedMarkdown">{inner}</div>')
        else:
            words = re.split(r"(\W+)", source)
            spans = "".join(f'<span class="n">{escape(word)}</span>' for word in words)
            parts.append(
                f'<div class="jp-InputArea-editor"><div class="highlight hl-ipython3"><pre>'
                f"<span></span>{spans}\n</pre></div></div>"
            )
    return "\n".join([*parts, "</body></html>"]).encode()


@on_bytes(remarks={"zipped"})
def zip_of_the_notebook(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("homework/homework.ipynb", data)
        archive.writestr("__MACOSX/homework/._homework.ipynb", b"\0\5")
    return buffer.getvalue()


@on_bytes(recovered=set(), legible=False, remarks={"no_notebook"}, needs_look=True)
def zip_of_two_notebooks(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("homework.ipynb", data)
        archive.writestr("other.ipynb", data)
    return buffer.getvalue()


@on_notebook(remarks={"old_format"})
def format_3(notebook: Notebook) -> Any:
    cells = []
    for one in notebook["cells"]:
        old = {"cell_type": one["cell_type"], "metadata": one["metadata"]}
        if one["cell_type"] == "code":
            old |= {"language": "python", "input": one["source"], "outputs": [], "collapsed": False}
            old["prompt_number"] = 3
        elif "".join(one["source"]).startswith("# "):
            old |= {"cell_type": "heading", "level": 1, "source": one["source"][0][2:].strip()}
        else:
            old["source"] = one["source"]
        cells.append(old)
    return {
        "metadata": {"name": "homework"},
        "nbformat": 3,
        "nbformat_minor": 0,
        "worksheets": [{"cells": cells[:6], "metadata": {}}, {"cells": cells[6:]}],
    }


@on_notebook()
def format_4_0(notebook: Notebook) -> None:
    notebook["nbformat_minor"] = 0
    for one in notebook["cells"]:
        del one["id"]


@on_notebook(remarks={"unknown_format"}, extra=("print('new')",))
def format_of_the_future(notebook: Notebook) -> None:
    notebook["nbformat"] = 6
    notebook["cells"].append(code("print('new')") | {"cell_type": "prompt"})


@on_notebook()
def outputs_and_attachments(notebook: Notebook) -> None:
    picture = {"image/png": "iVBORw0KGgo" * 2000}
    cell(notebook, "why-answer")["attachments"] = {"image.png": picture}
    table = {"data": {"text/html": '<b class="x">"[{'}, "output_type": "display_data"}
    cell(notebook, "area-answer")["outputs"] = [table | {"metadata": {"a": [[[{}]]]}}] * 50
