"""A named, configured way to choose a move; the catalogue of them all."""

from nimdesk.agents.catalogue import CATALOGUE, Agent, AgentInfo, agent_from_json, agent_info, make_agent
from nimdesk.agents.fields import ChoiceField, NumberField, OptionField, SwitchField, make_options
from nimdesk.agents.options import AgentOptions, RandomOptions, UctOptions
from nimdesk.agents.published import PUBLISHED, PublishedAgent, published_as

__all__ = [
    "CATALOGUE",
    "PUBLISHED",
    "Agent",
    "AgentInfo",
    "AgentOptions",
    "ChoiceField",
    "NumberField",
    "OptionField",
    "PublishedAgent",
    "RandomOptions",
    "SwitchField",
    "UctOptions",
    "agent_from_json",
    "agent_info",
    "make_agent",
    "make_options",
    "published_as",
]
