"""How the documentation site is built: `scripts/docs`. The pages are plain Markdown that reads as well on its own."""

from diarist import __version__

project = "Diarist"
author = "the Diarist authors"
copyright = "the Diarist authors. Apache-2.0"  # noqa: A001 - Sphinx's name
release = __version__
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Diarist {release}"
html_static_path: list[str] = []
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_block"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # jsonl has no lexer
# Sources, schemas and files of the project that pages point at are no pages of the site.
myst_all_links_external = False
nitpicky = True
