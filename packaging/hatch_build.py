"""Puts the pages of the site into the wheel, where ``NIMDESK_SITE`` names the folder in which they were built.

``packaging/build.py`` builds them first. They need nimdesk itself, so that a wheel that pip makes has none; the window
then says where they are.
"""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Site(BuildHookInterface):
    def initialize(self, version, build_data):
        if site := os.environ.get("NIMDESK_SITE"):
            build_data["force_include"][site] = "nimdesk/_resources/site"
