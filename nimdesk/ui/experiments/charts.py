"""The charts of a run: results as bars, by player, position or k, with the published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil, log10

from nimdesk.experiments.files import Found
from nimdesk.experiments.likelihood import mean_score, score_interval
from nimdesk.experiments.matches.tally import MatchTally, PairingTally, SettingTally
from nimdesk.experiments.matches.tuning import Tuning, tuning_of
from nimdesk.experiments.published import BuiltIn, published_as
from nimdesk.experiments.schedule import Schedule
from nimdesk.experiments.searches import SearchesTally, SearchTally, right_rate
from nimdesk.games import Side, kit_of
from nimdesk.ui.plots.bars import Bar, BarChart, BarGroup

_GAME_PARTS = ("first player wins", "draw", "second player wins")
_MOST_BARS = 300
_FEW = 5
"""Where each bar would be of fewer games, as in a match from many openings, there is one bar for all of a group."""
_Shown = dict[tuple[str, ...], tuple[tuple[float, float], str]]


def match_charts(found: Found) -> Iterator[BarChart]:
    """Wins by players, by position and by k; pairings; and the landscape of a tuning."""
    schedule, tally = found.schedule, found[MatchTally]
    if (tuned := tuning_of(tally)) is not None:
        yield _landscape(tuned)
    if not tally.pairings:
        return
    shown = _published(published_as(schedule.plan), "first wins")
    positions = {setting.setting.position for setting in tally.played_settings}
    players = {setting.setting.players for setting in tally.played_settings}
    yield _grouped("Wins by players", tally, shown, _players, _position, "all positions together")
    if len(positions) > 1 or len(players) > 1:
        yield _grouped("Wins by position", tally, shown, _position, _players, "all players together")
    groups = _game_groups(schedule)
    if len(set(groups.values())) > 1:
        (name,) = {name for name, _ in groups.values()}
        words = {text: f"{name} = {number}" for text, (name, number) in groups.items()}
        title = f"Wins by {name}"
        whole = "all positions and players together"
        yield _grouped(title, tally, shown, lambda t: words[t.setting.position], _where_and_who, whole, sort=True)
    if any(pairing.pairing.players[0] != pairing.pairing.players[1] for pairing in tally.played):
        yield _pairings(tally)
    built_in = published_as(schedule.plan)
    if built_in is not None and built_in.pies:
        yield _pies(built_in, tally)


def _pies(built_in: BuiltIn, tally: MatchTally) -> BarChart:
    """The published shares in the first row, and ours below, a row for each position, as the document draws them."""
    first, second = _published(built_in, "first wins"), _published(built_in, "second wins")
    columns = list(dict.fromkeys(_players(each) for each in tally.played_settings))
    rows: dict[str, dict[str, Bar]] = {"Published": {}}
    for each in tally.played_settings:
        name, where = _players(each), _where(each)
        if where in first and where in second:
            shares = (first[where][0][0], 0.0, second[where][0][0])
            rows["Published"][name] = Bar(name, shares, None, f"{shares[0]:.0%} : {shares[2]:.0%}")
        ours = _game_bar(name, each)
        words = " : ".join(f"{share:.0%}" for share in ours.shares)
        rows.setdefault(_position(each), {})[name] = replace(ours, interval=None, words=words or ours.words)
    unknown = [Bar(name, (), None, "") for name in columns]
    groups = (
        BarGroup(title, tuple(row.get(each.name, each) for each in unknown)) for title, row in rows.items() if row
    )
    return BarChart(built_in.pies, _GAME_PARTS, tuple(groups), pies=True)


def _landscape(tuned: Tuning) -> BarChart:
    bars = []
    for each in tuned.candidates:
        if each.games:
            name, ends = each.name + " (best)" * (each == tuned.best), (each.low, each.high)
            shares = (each.score, 0.0, 1 - each.score)
            bars.append(Bar(name, shares, ends, _words(each.score, ends, each.games)))
    parts = ("its score", "", "that of the default")
    return BarChart(f"Landscape of {', '.join(tuned.options)}", parts, (BarGroup("Against the default", tuple(bars)),))


def _published(built_in: BuiltIn | None, quantity: str) -> _Shown:
    figures = () if built_in is None else built_in.figures
    return {
        figure.where: ((figure.low, figure.high), figure.printed)
        for figure in figures
        if figure.quantity == quantity and figure.low is not None and figure.high is not None
    }


def _players(tally: SettingTally) -> str:
    first, second = tally.setting.players
    return f"{first} – {second}"


def _position(tally: SettingTally) -> str:
    return tally.setting.position


def _where_and_who(tally: SettingTally) -> str:
    return f"{tally.setting.position}  {_players(tally)}"


def _game_groups(schedule: Schedule) -> dict[str, tuple[str, int]]:
    """For each position, name and value of the game's grouping parameter, if all positions have the same one."""
    groups = {}
    for text, position in schedule.positions.items():
        if (group := kit_of(position).group) is not None:
            groups[text] = group(position.game)
    alike = len({name for name, _ in groups.values()}) == 1
    return groups if alike and len(groups) == len(schedule.positions) else {}


def _grouped(
    title: str,
    tally: MatchTally,
    shown: _Shown,
    group: Callable[[SettingTally], str],
    row: Callable[[SettingTally], str],
    whole: str,
    *,
    sort: bool = False,
) -> BarChart:
    """A bar for each setting, in groups; or one for each group, of which ``whole`` tells what it counts."""
    groups: dict[str, list[SettingTally]] = {}
    for each in tally.played_settings:
        groups.setdefault(group(each), []).append(each)
    found = sorted(groups.items()) if sort else [*groups.items()]
    settings = tally.played_settings
    brief = all(each.setting.games < _FEW for each in settings) and not all(each.setting.once for each in settings)
    if (brief and len(found) < len(settings) and not shown) or len(settings) > _MOST_BARS:
        bars = tuple(_game_bar(name, _sum(each)) for name, each in found[:_MOST_BARS])
        return BarChart(title, _GAME_PARTS, (BarGroup(whole + _left(found), bars),))
    in_groups = (
        BarGroup(name, tuple(_with(_game_bar(row(each), each), _where(each), shown) for each in of_group))
        for name, of_group in found
    )
    return BarChart(title, _GAME_PARTS, tuple(in_groups))


def _left(all_of_them: Sequence[object]) -> str:
    """Words for what is not drawn."""
    n = len(all_of_them)
    return f", the first {_MOST_BARS} of {n:,}" if n > _MOST_BARS else ""


def _sum(tallies: Sequence[SettingTally]) -> SettingTally:
    """The games of all of them, which are not alike where there are several."""
    total = SettingTally(replace(tallies[0].setting, once=tallies[0].setting.once and len(tallies) == 1))
    for each in tallies:
        total.games, total.draws = total.games + each.games, total.draws + each.draws
        total.wins = [total.wins[side] + each.wins[side] for side in (0, 1)]
    return total


def _where(tally: SettingTally) -> tuple[str, ...]:
    return (*tally.setting.players, tally.setting.position)


def _with(bar: Bar, where: tuple[str, ...], shown: _Shown) -> Bar:
    found = shown.get(where)
    return bar if found is None else replace(bar, published=found[0], published_words=found[1])


def _game_bar(name: str, tally: SettingTally) -> Bar:
    if not tally.games:
        return Bar(name, (), None, "no game yet")
    shares = (tally.wins[0] / tally.games, tally.draws / tally.games, tally.wins[1] / tally.games)
    if tally.setting.once:
        return Bar(name, shares, None, f"{shares[0]:.0%}, all games alike")
    interval = tally.win_interval(Side.FIRST)
    return Bar(name, shares, interval, _words(shares[0], interval, tally.games))


def _words(share: float, interval: tuple[float, float], n: int) -> str:
    return f"{share:.1%} [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}] of {n:,}"


def _pairings(tally: MatchTally) -> BarChart:
    """A bar for two players, and one for each sequential test of theirs."""
    met: dict[tuple[object, ...], list[PairingTally]] = {}
    for each in tally.played:
        tested = each.pairing.index if each.pairing.sprt else None
        met.setdefault((frozenset(each.pairing.players), each.pairing.paired, tested), []).append(each)
    parts = ("score of the player named first", "", "score of the other")
    bars = tuple(map(_pairing_bar, [*met.values()][:_MOST_BARS]))
    return BarChart("Pairings, both roles together", parts, (BarGroup("Pairings" + _left([*met]), bars),))


def _pairing_bar(tallies: Sequence[PairingTally]) -> Bar:
    players, games = tallies[0].pairing.players, sum(each.games for each in tallies)
    name = " – ".join(players)
    if not games:
        return Bar(name, (), None, "no game yet")
    # Another part of the plan may name the same two the other way round.
    each_way = (each.counted[:: 1 if each.pairing.players == players else -1] for each in tallies)
    counted = [sum(counts) for counts in zip(*each_way, strict=True)]
    score, interval = mean_score(*counted), score_interval(*counted)
    tested = {"H0": ", the test says no", "H1": ", the test says yes", None: ""}[tallies[0].decision]
    return Bar(name, (score, 0.0, 1 - score), interval, _words(score, interval, games) + tested)


def search_charts(found: Found) -> Iterator[BarChart]:
    """The right choices where any can be told, and the nodes where these were published, or are all there is."""
    searches, built_in = found[SearchesTally].settings, published_as(found.schedule.plan)
    if not searches:
        return
    nodes = _published(built_in, "nodes")
    judged = any(each.verdicts[verdict] for each in searches for verdict in "+-=")
    if judged or not (nodes or any(each.mean_nodes for each in searches)):
        shown = _published(built_in, "right choices")
        made = _by_player(searches, lambda each: _with(_search_bar(each), _whose(each), shown))
        yield BarChart("Right choices by position" + _left(searches), ("keeps the value", "", "gives it away"), made)
    if nodes or not judged:
        most = max([10.0, *(each.mean_nodes or 0 for each in searches), *(high for (_, high), _ in nodes.values())])
        decades = ceil(log10(most))
        made = _by_player(searches, lambda each: _nodes_bar(each, decades, nodes.get(_whose(each))))
        ticks = tuple((power / decades, f"{10**power:,}") for power in range(decades + 1))
        yield BarChart("Nodes of a search by position, logarithmic" + _left(searches), ("nodes",), made, ticks)


def _by_player(searches: list[SearchTally], bar: Callable[[SearchTally], Bar]) -> tuple[BarGroup, ...]:
    groups: dict[str, list[Bar]] = {}
    for each in searches[:_MOST_BARS]:
        groups.setdefault(each.setting.player, []).append(bar(each))
    return tuple(BarGroup(name, tuple(bars)) for name, bars in groups.items())


def _whose(tally: SearchTally) -> tuple[str, ...]:
    return tally.setting.player, tally.setting.position


def _nodes_bar(tally: SearchTally, decades: int, shown: tuple[tuple[float, float], str] | None) -> Bar:
    """Places on an axis of so many decades, from one node on."""
    nodes = tally.mean_nodes
    if nodes is None:
        bar = Bar(tally.setting.position, (), None, "no search yet")
    else:
        stopped = "" if tally.complete else "stopped at "
        bar = Bar(tally.setting.position, (log10(max(nodes, 1.0)) / decades,), None, f"{stopped}{nodes:,.0f}")
    if shown is None:
        return bar
    (low, high), printed = shown
    places = (log10(max(low, 1.0)) / decades, log10(max(high, 1.0)) / decades)
    return replace(bar, published=places, published_words=printed)


def _search_bar(tally: SearchTally) -> Bar:
    right, low, high = right_rate(tally)
    if right is None or low is None or high is None:
        words = "nothing to choose" if tally.verdicts["="] else "truth not known" if tally.searches else "no search yet"
        return Bar(tally.setting.position, (), None, words)
    n = tally.verdicts["+"] + tally.verdicts["-"]
    shares = (right, 0.0, 1 - right)
    if tally.setting.once:
        return Bar(tally.setting.position, shares, None, f"{right:.0%}, all searches alike")
    return Bar(tally.setting.position, shares, (low, high), _words(right, (low, high), n))
