"""temporary stub, being replaced"""
import msgspec
from nimdesk.agents import make_agent
class Settings(msgspec.Struct):
    theme: str="light"; show_overlay: bool=True; overlay_number: str="share"; animations: str="on"; move_delay_ms: int=400
    slow_motion_s: float=2.5; position: str="nim:1,3,5,7"; players: list=msgspec.field(default_factory=lambda:[{"player":"human"},make_agent("uct").to_json()])
    convergence: dict=msgspec.field(default_factory=dict); window_geometry: str=""; window_state: str=""; games_folder: str=""
    suggest: dict=msgspec.field(default_factory=lambda: make_agent("uct").to_json())
class SettingsStore:
    problem=None
    def load(self): return Settings()
    def save(self,s): pass
