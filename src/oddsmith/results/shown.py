"""How an answer looks at a prompt and in a notebook: short, whatever arrays it holds."""

from __future__ import annotations


class Shown:
    """What has a text for people shows its first line at a prompt, and all of it in a notebook.

    A dataclass needs `repr=False` beside it, or writes a `__repr__` of its own with all fields.
    """

    def __repr__(self) -> str:
        first = str(self).strip().split("\n")[0]
        return f"<{type(self).__name__}: {' '.join(first.split())}>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"
