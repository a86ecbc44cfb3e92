"""What is fuzzed is made by the helpers of other tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "play"))
