"""A named, configured way to choose a move; the catalogue of them all."""

from nimdesk.agents.absent import AbsentAgent, absent_agent
from nimdesk.agents.agent import CATALOGUE, Agent, AgentInfo, Traits
from nimdesk.agents.catalogue import (
    BackgroundLoading,
    agent_from_json,
    agent_info,
    load_plugins,
    make_agent,
    plugin_loader,
    proposed,
)
from nimdesk.agents.checkpoint import Checkpoint
from nimdesk.agents.fields import (
    ChoiceField,
    NumberField,
    OptionField,
    OptionValue,
    SwitchField,
    make_options,
)
from nimdesk.agents.levels import DEFAULT_LEVEL, LEVELS, Level
from nimdesk.agents.plugin_options import PluginOptions, SearchOptions
from nimdesk.agents.published import (
    DEFAULT_AGENT,
    PUBLISHED,
    PublishedAgent,
    agent_with,
    named_as_published,
    published_as,
)
from nimdesk.search.options import AgentOptions, RandomOptions, UctOptions

__all__ = [
    "CATALOGUE",
    "DEFAULT_AGENT",
    "DEFAULT_LEVEL",
    "LEVELS",
    "PUBLISHED",
    "AbsentAgent",
    "Agent",
    "AgentInfo",
    "AgentOptions",
    "BackgroundLoading",
    "Checkpoint",
    "ChoiceField",
    "Level",
    "NumberField",
    "OptionField",
    "OptionValue",
    "PluginOptions",
    "PublishedAgent",
    "RandomOptions",
    "SearchOptions",
    "SwitchField",
    "Traits",
    "UctOptions",
    "absent_agent",
    "agent_from_json",
    "agent_info",
    "agent_with",
    "load_plugins",
    "make_agent",
    "make_options",
    "named_as_published",
    "plugin_loader",
    "proposed",
    "published_as",
]
