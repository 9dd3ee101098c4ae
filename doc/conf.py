"""Configuration of Sphinx for the documentation of Triad: `python doc/build_site.py` or the CMake target `docs`."""

import re
from pathlib import Path

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

ROOT = Path(__file__).resolve().parents[1]

project = "Triad"
author = "the authors of Triad"
project_copyright = "the authors of Triad"
release = re.search(r"lammps-triad VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
version = release

extensions = ["myst_parser", "sphinx_copybutton", "sphinxcontrib.mermaid"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline", "attrs_block", "html_image"]
myst_heading_anchors = 4  # headings get the anchors that GitHub gives them
myst_fence_as_directive = ["mermaid"]
myst_url_schemes = ["http", "https", "mailto"]

html_theme = "furo"
html_title = f"Triad {release}"
html_static_path = ["_static"]
html_css_files = ["triad.css"]
html_copy_source = False
copybutton_exclude = ".linenos, .gp, .go"


class LammpsLexer(RegexLexer):
    """Input scripts of LAMMPS: comments, the command of a line, variables, numbers, strings."""

    name = "LAMMPS input script"
    aliases = ["lammps"]
    tokens = {
        "root": [
            (r"#.*$", Comment.Single),
            (r"^([ \t]*)([a-z_]+)\b", bygroups(Text, Keyword)),
            (r'"""(?:.|\n)*?"""|"[^"\n]*"|\'[^\'\n]*\'', String),
            (r"\$\{[^}]*\}|\$\([^)]*\)|\$\w", Name.Variable),
            (r"&[ \t]*\n", Operator),
            (r"(?<![\w/.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w/.])", Number),
            (r"[^\s#\"'$&]+|\s+|[\"'$&]", Text),
        ]
    }


def put_changelog(app, docname, source):
    """The page `changelog` shows CHANGELOG.md, without its links to pages of the repository's host."""
    changelog = ROOT / "CHANGELOG.md"
    if docname == "changelog" and changelog.is_file():
        source[0] = re.sub(r"^\[[^\]]+\]: \S+\n", "", changelog.read_text(encoding="utf-8"), flags=re.M)


def setup(app):
    app.add_lexer("lammps", LammpsLexer)
    app.connect("source-read", put_changelog)
    return {"parallel_read_safe": True}
