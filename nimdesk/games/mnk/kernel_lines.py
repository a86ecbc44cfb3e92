"""``lines`` for kernels: the same functions, which numba compiles into the kernels that call them."""

from nimdesk.games.mnk import lines
from nimdesk.kernels.jit import inlined, part

begin = part(lines.begin)
put = part(lines.put)
lift = part(lines.lift)
change = part(lines.change)
see = inlined(lines.see)
number_of = inlined(lines.number_of)
next_cell = part(lines.next_cell)
is_pressed = inlined(lines.is_pressed)
matters = inlined(lines.matters)
worth_of = part(lines.worth_of)
assess = part(lines.assess)
win_by_fours = part(lines.win_by_fours)
next_four = part(lines.next_four)
evaluate = part(lines.evaluate)
