"""A named, configured way to choose a move; the catalogue of them all."""

from nimdesk.agents.catalogue import CATALOGUE, Agent, AgentInfo, agent_from_json, agent_info, make_agent
from nimdesk.agents.fields import ChoiceField, NumberField, OptionField, SwitchField, make_options
from nimdesk.agents.options import AgentOptions, RandomOptions, UctOptions

__all__ = [
    "CATALOGUE",
    "Agent",
    "AgentInfo",
    "AgentOptions",
    "ChoiceField",
    "NumberField",
    "OptionField",
    "RandomOptions",
    "SwitchField",
    "UctOptions",
    "agent_from_json",
    "agent_info",
    "make_agent",
    "make_options",
]
