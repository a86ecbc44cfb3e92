"""Games of other packages with sound rules, whose optional parts and boards misbehave in the window."""

from __future__ import annotations

from bad_games import LOADED, BadGame

_SOLVER = """
from nimdesk.games.plain_solver import PlainSolver
class Solver(PlainSolver):
    {}
"""
_BOARD = """
from PySide6.QtWidgets import QWidget
from nimdesk.ui.boards import BoardKit
from nimdesk.ui.boards.forms import PositionForm
from nimdesk.ui.boards.plain import PlainBoard
class Form(PositionForm):
    def show_position(self, position): pass
    def position(self): return G(5).start()
class Kit(BoardKit):
    {}
BOARD = Kit()
"""


def _parts(name: str, parts: str, says: str, *lines: str) -> BadGame:
    """Sound rules with these parts; ``says`` is what is said of them, "" where they are done without."""
    made = f"KIT = GameKit(KIT.name, G, presets=KIT.presets, {parts})"
    return BadGame(name, "\n".join((LOADED[0].code.replace("sound", name), *lines, made, "")), says)


def _solver(name: str, method: str, says: str) -> BadGame:
    return _parts(name, "new_solver=Solver", says, _SOLVER.format(method))


QUIET = [
    *(
        _parts(f"{part}_{what}", f"{part}=lambda *arguments: {does}", "")
        for part in ("preferences", "fewest_nodes", "child_number", "group", "views", "published")
        for what, does in (("raises", "1 / 0"), ("leaves", "sys.exit(3)"), ("text", "'x'"), ("list", "[]"))
    ),
    _parts("preferences_nan", "preferences=lambda position: (float('nan'),) * len(position.legal_moves)", ""),
    _parts("preferences_deep", "preferences=lambda position: KIT.preferences(position)", ""),
    _parts("preferences_few", "preferences=lambda position: (1,)", ""),
    _parts("fewest_nodes_huge", "fewest_nodes=lambda position: 10**5000", ""),
    _parts("views_none", "views=lambda game: ((game, lambda move: None),)", ""),
    _parts("views_raise", "views=lambda game: ((game, lambda move: 1 / 0),)", ""),
    _parts("views_other", "views=lambda game: ((G(1), lambda move: move),)", ""),
]
"""Parts that help in passing: without them the window does nearly as well."""

SOLVERS = [
    _parts("solver_none", "new_solver=lambda **options: None", "which is no solver"),
    _parts("solver_raises", "new_solver=lambda **options: 1 / 0", "division by zero"),
    _parts(
        "formula_raises", "by_formula=lambda position: True, new_solver=lambda **options: 1 / 0", "division by zero"
    ),
    _solver("start_raises", "def start(self, position): 1 / 0", "division by zero"),
    _solver("advance_leaves", "def advance(self, limit): sys.exit(3)", "sys.exit(3)"),
    _solver("truth_none", "def truth(self): return None", "its truth is no Truth"),
    _solver("progress_text", "progress = 'half'", ""),
]

_BOARDS = {
    "none": ("def new_board(self, position, parent=None): return None", "new_board returned None, which is no board"),
    "raises": ("def new_board(self, position, parent=None): 1 / 0", "division by zero (ZeroDivisionError in line"),
    "widget": ("def new_board(self, position, parent=None): return QWidget(parent)", "which is no board of the pos"),
    "elsewhere": (
        "def new_board(self, position, parent=None): return PlainBoard(position.play(position.legal_moves[0]), parent)",
        "which is no board of the position",
    ),
    "half": ("def new_board(self, position, parent=None): self.half = PlainBoard(position, parent); 1 / 0", "division"),
    "tab": ("tab = 7", "the name of its tab is no text"),
    "form_raises": ("def new_game_form(self): 1 / 0", "division by zero"),
    "form_text": ("def new_game_form(self): return 'x'", "new_game_form returned 'x', which is no form"),
    "form_bare": ("new_game_form = lambda self: PositionForm()", ""),
    "form_leaves": ("new_game_form = lambda self: type('F', (Form,), {'position': lambda s: sys.exit(3)})()", ""),
    "setup_raises": ("def position_form(self): 1 / 0", "division by zero"),
    "theory_none": ("def theory_html(self, *a, **n): return None", "theory_html returned None, which is no text"),
    "theory_raises": ("def theory_html(self, *a, **n): 1 / 0", "division by zero"),
    "other_text": ("def other_rule(self, position): return 'x'", "which is no rule with its position"),
    "other_raises": ("def other_rule(self, position): 1 / 0", "division by zero"),
    "reason_none": ("def reason(self, *a): return None", "reason returned None, which is no text"),
    "paints": (
        "new_board = lambda *a: type('B', (PlainBoard,), {'paintEvent': lambda *_: 1 / 0})(a[1])",
        "which is no board of the position, painted by its art",
    ),
    "reason_raises": ("def reason(self, *a): 1 / 0", "division by zero"),
}
_MODULES = {
    "module": ("", "the module “bad_game_board_module_b” is not installed"),
    "empty": ("x = 1", "has no attribute 'BOARD'"),
    "number": ("BOARD = 7", "is not a BoardKit"),
    "import": ("1 / 0", "division by zero"),
    "exit": ("import sys; sys.exit(3)", "it ended itself by sys.exit(3)"),
}


PAINTER = _parts("painter", "board='bad_game_painter_b:BOARD'", "")
PAINTER_BOARD = "from bad_game_painter import G\n" + _BOARD.format(
    "def new_board(self, position, parent=None): return Painted(position, parent)"
).replace(
    "class Form",
    """
from nimdesk.ui.boards.plain import PlainArt
class Art(PlainArt):
    def paint(self, painter): 1 / 0
class Painted(PlainBoard):
    art = property(Art)
class Form""",
)
"""One whose board can be made, and not painted."""

BOARDS = [
    (_parts(f"board_{name}", f"board='bad_game_board_{name}_b:BOARD'", says), code)
    for name, code, says in (
        *(
            (name, f"import sys\nfrom bad_game_board_{name} import G\n{_BOARD.format(method)}", says)
            for name, (method, says) in _BOARDS.items()
        ),
        *((name, code, says) for name, (code, says) in _MODULES.items()),
    )
]
"""Each with the module of its board, "" for none; what is said of it when each of its parts is asked for."""
