"""``nimdesk cite``: how to cite the program, and what to say of the machine and the versions."""

import click

from nimdesk.cli.flags import json_flag
from nimdesk.cli.options import print_json
from nimdesk.disk.provenance import made_here
from nimdesk.version import AUTHORS, HOME, RELEASE, RELEASED, TITLE, __version__


@click.command()
@json_flag
def cite(as_json: bool) -> None:
    """Print how to cite nimdesk, in words and as BibTeX, and a sentence on the versions and this machine."""
    made = made_here()
    # A version under way has no day of release; it is cited by the year of its use, and by its commit.
    released = RELEASED if __version__ == RELEASE else None
    year = (released or made.date)[:4]
    if as_json:
        about = {"title": TITLE, "authors": AUTHORS, "version": __version__, "released": released, "url": HOME}
        print_json(about, [made])
        return
    note = f"Version {__version__}{f', commit {made.commit}' if made.commit else ''}"
    bibtex = {"author": f"{{{AUTHORS}}}", "title": f"{{{TITLE}}}", "year": year, "version": __version__}
    bibtex |= {"url": HOME, "note": note}
    entries = ",\n".join(f"  {name} = {{{value}}}" for name, value in bibtex.items())
    print(f"{AUTHORS} ({year}). {TITLE} (version {__version__}) [Computer software]. {HOME}\n")
    print(f"@software{{nimdesk,\n{entries}\n}}\n")
    cores = f"{made.cores} {'core' if made.cores == 1 else 'cores'}"
    print(f"Computed with {made.programs}, on {made.system}, {made.processor}, {cores}.")
