"""The commands that look at one thing (a position, a game, a file, this machine), with their arguments and flags."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import TimeElapsedColumn

from nimdesk.agents import CATALOGUE, DEFAULT_AGENT, agent_info
from nimdesk.agents.naming import agent_from_flags, flag
from nimdesk.cli import analyse as analysing
from nimdesk.cli.completion import complete_agent
from nimdesk.cli.figures import HEAT_MAPS, TREES, Wanted, figure_options
from nimdesk.cli.file_types import READ, WRITTEN
from nimdesk.cli.flags import budget_option, csv_option, figure_flags, json_flag, number, position_option
from nimdesk.cli.options import (
    check_folder,
    list_agents,
    list_games,
    option_help,
    option_names,
    position_of,
    print_json,
    progress_bar,
    say,
    write_bytes,
)
from nimdesk.cli.teaching import Paper
from nimdesk.disk.provenance import made_here
from nimdesk.errors import NimdeskError, OptionError
from nimdesk.figures.measure import MEASURES
from nimdesk.limit import MAX_COUNT
from nimdesk.search import Snapshot

DrawBoard = Callable[[Snapshot, str], bytes]
"""The board of a search with its shares, as a file with this ending."""
BOARDS = (".pdf", ".svg", ".png")
ABOUT_POSITION = """POSITION is a game in notation, then the moves played, such as nim:1,3,5,7 2-3 (take 3 from pile 2)
or mnk:3,3,3 b2. “nimdesk games” lists the well-known games."""


def analyse_command(draw_board: DrawBoard | None, *, hidden: bool = False) -> click.Command:
    """The command ``analyse`` with the options of all agents."""
    agents = (
        f"Who searches: {', '.join(CATALOGUE)}, or a published one, such as "
        "minimax-001; options may follow, as in uct:exploration=0.5. "
        "“nimdesk agents” explains them."
    )
    listing = "Print how minimax, deepening or the value table got there."
    tree = " A name in .dot or .tex draws the search tree instead, for Graphviz or by TikZ, and needs neither."
    limit = "End the search after this many iterations in all (nodes for an agent that does not sample), if not sooner."
    figure_of = "share, or mean where the agent chooses by it"
    own = [click.Option([flag(name)], metavar="VALUE", help=option_help(name)) for name in option_names()]
    return click.Command(
        "analyse",
        help="Search a position and print what the agent thinks of each move.\n\n"
        f"{ABOUT_POSITION}\n\nCtrl-C ends the search and prints what there is so far.",
        callback=partial(_analysed, draw_board),
        hidden=hidden,
        params=[
            click.Argument(["words"], nargs=-1, metavar="[POSITION]..."),
            *_parameters([position_option("The same as a flag.", several=False)]),
            click.Option(
                ["--agent"], metavar="NAME", default=DEFAULT_AGENT, help=agents, shell_complete=complete_agent
            ),
            *own,
            *_parameters([budget_option("Of the search"), number("--limit", "Limit", 1, MAX_COUNT, limit)]),
            *_parameters([csv_option("the checkpoints of the search, or its depths")]),
            click.Option(
                ["--bundle"],
                type=WRITTEN,
                metavar="FILE.nimbundle.json",
                help="Save the search for the laboratory, “lab” and “replay”.",
            ),
            *_parameters(figure_options((*MEASURES, *HEAT_MAPS), tree, default=figure_of)),
            click.Option(
                ["--figure-seeds"],
                type=click.IntRange(2, 1_000),
                metavar="N",
                help="With --figure: draw N searches with the seeds from this one on, as medians with bands of 90%; of "
                "the regret as the mean with its 95% interval.",
            ),
            click.Option(
                ["--figure-nodes"],
                type=click.IntRange(1, 10_000),
                metavar="N",
                help="With --figure FILE.dot or .tex: draw the N moves with most visits, as far as the width holds "
                "their lines.  [default: 25]",
            ),
            click.Option(
                ["--board"],
                type=WRITTEN,
                metavar="FILE",
                help="Draw the board with the shares of the visits on it: PDF, SVG or PNG. With --agent random it "
                "is bare. Needs the libraries of the window, but no screen.",
            ),
            click.Option(["--listing"], is_flag=True, show_default=False, help=listing),
            *_parameters([json_flag]),
        ],
    )


def _parameters(options: Iterable[Callable[..., object]]) -> list[click.Parameter]:
    """The parameters that these options make, for a command built without decorators."""

    def nothing() -> None:
        """Carries the options."""

    for option in reversed(list(options)):
        option(nothing)
    return click.command()(nothing).params


def _analysed(
    draw_board: DrawBoard | None,
    words: tuple[str, ...],
    position: str | None,
    agent: str,
    as_json: bool,
    csv: Path | None,
    bundle: Path | None,
    budget: str | None,
    listing: bool,
    figure: Path | None,
    figure_of: str | None,
    figure_look: str,
    figure_seeds: int | None,
    figure_nodes: int | None,
    board: Path | None,
    limit: int | None,
    **options: str | None,
) -> None:
    tree = figure is not None and figure.suffix.lower() in TREES
    if figure_seeds is not None and (figure is None or tree):
        raise OptionError("--figure-seeds says what --figure draws; it goes with --figure FILE, and not with a tree.")
    if figure_seeds is not None and figure_of in HEAT_MAPS:
        raise OptionError("A heat map is of one search; --figure-seeds draws lines with bands.")
    if figure_nodes is not None and not tree:
        raise OptionError(
            "--figure-nodes says how much of a tree is drawn; it goes with --figure FILE.dot or FILE.tex."
        )
    wanted = Wanted.of(figure, figure_of, figure_look, tree=tree)
    given = {name: text for name, text in options.items() if text is not None}
    start = position_of(words, position)
    agent_given = agent_from_flags(agent, given)
    if budget is not None:
        from nimdesk.experiments.tuning import with_budget  # lazy: the experiments are much to load

        agent_given = with_budget(agent_given, budget)
    if bundle is not None:
        from nimdesk.play.bundle import SUFFIX  # lazy: no other command wants bundles

        if not bundle.name.endswith(SUFFIX):
            raise OptionError(f"The name of a bundle ends in {SUFFIX}; “{bundle.name}” does not.")
        check_folder(bundle, "The bundle")
    how = {"as_json": as_json, "listing": listing}
    if board is not None:
        if board.suffix.lower() not in BOARDS:
            raise OptionError(f"A board is a file that ends in {', '.join(BOARDS)}; “{board.name}” does not.")
        check_folder(board, "The board")
    snapshot = analysing.analyse(
        start, agent_given, **how, csv=csv, figure=wanted, seeds=figure_seeds, nodes=figure_nodes, limit=limit
    )
    if bundle is not None:
        analysing.save_search(snapshot, agent_given, bundle)
    if board is not None and draw_board is not None:
        write_bytes(board, draw_board(snapshot, board.suffix.lower()), "The board")
        say(str(board))


_SOLVE_HELP = f"""Print the exact value of a position and of every move.

{ABOUT_POSITION}

Where an m,n,k position takes longer than a minute the work is kept; the same command goes on from there.
"""


@click.command(help=_SOLVE_HELP)
@click.argument("words", metavar="[POSITION]...", nargs=-1)
@position_option("The same as a flag.", several=False)
@click.option(
    "--time-s", metavar="T", default="10", help="Stop after this many seconds; what is not proven by then is unknown."
)
@click.option(
    "--certificate",
    type=WRITTEN,
    metavar="FILE",
    help="Write a proof of the value to this file, which “verify” checks.",
)
@click.option(
    "--guide",
    type=READ,
    metavar="FILE",
    help="What a win by quiet moves is looked for along: the certificate of a like position, such as after another "
    "answer, or a tree of moves (JSON).",
)
@csv_option("the moves with their values")
@json_flag
@figure_flags(("value",))
def solve(
    words: tuple[str, ...],
    position: str | None,
    time_s: str,
    certificate: Path | None,
    guide: Path | None,
    csv: Path | None,
    as_json: bool,
    figure: Wanted | None,
) -> None:
    """Solve it."""
    if guide is not None and certificate is None:
        raise OptionError("--guide is for the proof that --certificate FILE writes; it goes with it.")
    seconds = next(field for field in agent_info("solver").fields if field.name == "time_s").parse(time_s)
    assert isinstance(seconds, float)
    where = position_of(words, position)
    analysing.solve(where, seconds, as_json=as_json, certificate=certificate, guide=guide, csv=csv, figure=figure)


@click.command()
@click.argument("certificate", type=READ, metavar="FILE")
@json_flag
def verify(certificate: Path, as_json: bool) -> int:
    """Check a certificate that “solve” wrote, with nothing of the solver, and print the position that it proves.

    Exit code 0 if it is proven, 1 if not, 2 if the file cannot be read.
    """
    from nimdesk.games.mnk import verify as checker  # lazy: no other command needs it

    try:
        with progress_bar(f"checking {certificate.name}", TimeElapsedColumn()):
            said, proven = checker.told(str(certificate))
    except OSError as error:
        raise NimdeskError(f"The file cannot be read: {error.strerror}.") from None
    if as_json:
        print_json({"file": str(certificate), "proven": proven}, [made_here()], said.partition("\n")[0])
    else:
        print(said)
    return 0 if proven else 1


@click.command()
@click.argument("bundle", type=READ, metavar="FILE")
@csv_option("the checkpoints of the searches run again")
@json_flag
@figure_flags(tuple(MEASURES), default="share, or mean where the first agent chooses by it")
def replay(bundle: Path, csv: Path | None, as_json: bool, figure: Wanted | None) -> int:
    """Run the searches of a bundle again, and say if they come to the same numbers; exit code 1 if one does not."""
    return analysing.replay(bundle, csv, as_json=as_json, figure=figure)


@click.command()
@click.argument("game", type=READ, metavar="FILE")
@click.option("--budget", metavar="N|TIME", default="10000", help="Of the search of each position, as in analyse.")
@click.option("--seed", metavar="N", default="1", help="The seed of the first search; the others count on from it.")
@click.option(
    "--exact-s", metavar="T", default="2", help="Seconds of the solver for each position; 0 leaves all to the search."
)
@click.option(
    "--exercises", type=WRITTEN, metavar="FILE", help="Write the moves that were missed to this file, to learn."
)
@click.option(
    "--report",
    type=WRITTEN,
    metavar="FILE.pdf",
    help="Write a report with the boards to look at, as PDF. Needs the libraries of the window, but no screen.",
)
@csv_option("the moves")
@json_flag
@figure_flags(("worth",))
@click.pass_obj
def review(paper: Paper | None, /, game: Path, budget: str, seed: str, exact_s: str, **files: Any) -> None:
    """Go through a game, saved or of another program: what each move gave away, proven or else estimated."""
    from nimdesk.cli.review import review_file  # lazy: no other command reads games
    from nimdesk.experiments.tuning import with_budget

    agent = with_budget(agent_from_flags(DEFAULT_AGENT, {"seed": seed}), budget)
    review_file(game, agent, exact_s, paper=paper, **files)


@click.command()
@json_flag
def bench(as_json: bool) -> None:
    """Measure the search on this machine: simulations a second and bytes a tree node, in under a minute."""
    from nimdesk.cli.bench import bench  # lazy: it loads the compiled search, and no other command wants that at once

    bench(as_json=as_json)


@click.command("warm-up")
def warm_up() -> None:
    """Compile all searches now, which the first of each kind would otherwise wait for: a minute or two, once."""
    from nimdesk.cli.warm_up import warm_up  # lazy: no other command wants several processes

    warm_up()


@click.command()
@json_flag
def games(as_json: bool) -> None:
    """List the well-known games with their notation."""
    list_games(as_json)


@click.command()
@json_flag
def agents(as_json: bool) -> None:
    """List the players that the computer can be, with their options."""
    list_agents(as_json)
