"""What scripts say to people, by script and key: it goes into the page, in the page's language, where they read it.

In braces stands what the script fills in (`static/words.js`).
"""

from typing import Final

WORDS: Final[dict[str, dict[str, str]]] = {}
