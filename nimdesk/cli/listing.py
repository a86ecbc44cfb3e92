"""What there is: ``nimdesk games`` and ``nimdesk agents``."""

from nimdesk.agents import CATALOGUE, PUBLISHED, AgentInfo, ChoiceField, NumberField, OptionField
from nimdesk.cli.options import default_text, flag
from nimdesk.cli.output import console, print_json, table
from nimdesk.games import load_plugin_games, presets
from nimdesk.games.kit import problems
from nimdesk.games.notation import notation_help


def list_games(as_json: bool) -> None:
    """Print the well-known games: name, notation, one sentence."""
    load_plugin_games()
    if as_json:
        print_json([{"name": p.name, "notation": p.game.text, "about": p.about} for p in presets()])
        return
    rows = table("Name", "Notation", "About")
    for preset in presets():
        rows.add_row(preset.name, preset.game.text, preset.about)
    console().print(rows, f"\nAny other: {notation_help()}.")
    for problem in problems().values():
        console().print(problem)


def list_agents(as_json: bool) -> None:
    """Print the catalogue: each agent with its options, their defaults and bounds."""
    if as_json:
        print_json([_agent_json(info) for info in CATALOGUE.values()])
        return
    out = console()
    for info in CATALOGUE.values():
        out.print(f"{info.name} ({info.title})", style="bold")
        out.print(f"  {info.about}")
        rows = table("Option", "Default", "Allowed", "Meaning", indent=2)
        for field in info.fields:
            rows.add_row(flag(field.name), default_text(field), field.bounds_text, field.description)
        if info.fields:
            out.print(rows)
        out.print()
    out.print("As published (a name is an agent with its options)", style="bold")
    published = table("Name", "Agent", "Note", indent=2)
    for preset in PUBLISHED.values():
        published.add_row(preset.name, preset.agent_name, f"Document {preset.document}. {preset.note}")
    out.print(published)


def _agent_json(info: AgentInfo) -> dict[str, object]:
    options = [_field_json(field) for field in info.fields]
    return {"name": info.name, "title": info.title, "about": info.about, "options": options}


def _field_json(field: OptionField) -> dict[str, object]:
    common: dict[str, object] = {
        "name": field.name,
        "title": field.title,
        "description": field.description,
        "default": field.default,
    }
    if isinstance(field, NumberField):
        return common | {
            "kind": field.kind.__name__,
            "minimum": field.minimum,
            "maximum": field.maximum,
            "optional": field.optional,
            "unit": field.unit,
        }
    if isinstance(field, ChoiceField):
        return common | {"kind": "choice", "choices": [value for value, _words in field.choices]}
    return common | {"kind": "switch"}
