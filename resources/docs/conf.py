"""How the site is built: ``sphinx-build -W resources/docs build/docs``, without a network."""

import sys
from pathlib import Path

# Games and agents of packages that happen to be installed do not belong into the reference.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))  # the manual page walks through the commands, too

from nimdesk.version import AUTHORS, HOME, __version__

project, author, release = "nimdesk", AUTHORS, __version__
project_copyright = f"{AUTHORS}, MIT licence"
extensions = ["myst_parser", "sphinx.ext.autodoc", "generated"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
nitpicky = False

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = f"nimdesk {release}"
html_favicon = "../icons/nimdesk.svg"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
# No letter comes over the network, and none is shipped: a browser has its own.
html_theme_options = {"source_repository": f"{HOME}/", "source_directory": "resources/docs/"}
