"""The frame of a page that stands alone: one file, nothing loaded from anywhere.

It reads on light and dark paper (as the reader's system prefers, or as asked for), on a phone and
when printed. Pictures are inside the page, as data, once for each paper. A policy in its head
forbids the browser to load anything from elsewhere, should a mistake ever ask for it.
"""

from __future__ import annotations

import base64
import html
import inspect
from collections.abc import Sequence
from typing import Literal

from oddsmith.errors import OptionError
from oddsmith.runtime import remains
from oddsmith.show.pictures.interactive import POLICY as SCRIPTED
from oddsmith.show.pictures.spec import Picture
from oddsmith.show.pictures.theme import DARK, LIGHT, Theme

Paper = Literal["auto", "light", "dark"]
PAPERS: tuple[Paper, ...] = ("auto", "light", "dark")

LARGE_SVG = 250_000
"""Letters from which on a picture is kept as pixels, if those take less."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page may do: nothing from elsewhere, and no script."""

STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--line);line-height:1.55;
font:17px/1.55 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;-webkit-text-size-adjust:100%}
main,header,footer{max-width:60rem;margin:0 auto;padding:0 1rem}
header{padding-top:2.2rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.25;margin:2.6rem 0 .7rem;padding-top:1.1rem;
border-top:1px solid var(--faint)}
h3{font-size:1.08rem;margin:1.8rem 0 .4rem}
h4{font-size:.95rem;margin:.9rem 0 0}
h4+p{margin-top:.1rem}
p,ul,ol{max-width:44rem;margin:.55rem 0}
ul,ol{padding-left:1.3rem}
a{color:var(--ink)}
.lead{color:var(--muted);margin:.1rem 0}
.note{color:var(--muted);border-left:3px solid var(--faint);padding:.1rem 0 .1rem .8rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:1rem 0 0;
max-width:none}
figure{margin:1rem 0;max-width:100%}
figure img{display:block;max-width:100%;height:auto;border:1px solid var(--faint);border-radius:6px}
figcaption{color:var(--muted);font-size:.9rem;margin-top:.35rem;max-width:44rem}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;margin:.8rem 0;font-variant-numeric:tabular-nums;font-size:.95rem}
caption{text-align:left;color:var(--muted);font-size:.9rem;padding-bottom:.25rem}
th,td{padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--faint);vertical-align:top}
th{text-align:left;font-weight:600}
td.number,th.number{text-align:right}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,'DejaVu Sans Mono',monospace;font-size:.88em}
code{overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--faint);border-radius:6px;padding:.6rem .8rem;
overflow-x:auto;max-width:100%}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--ink)}
footer{color:var(--muted);font-size:.88rem;margin-top:3rem;padding-bottom:2.5rem;
border-top:1px solid var(--faint);padding-top:1rem}
@media (max-width:480px){body{font-size:16px}h1{font-size:1.55rem}}
@media print{summary{display:none}main,header,footer{max-width:none}h2{break-after:avoid}
figure,table{break-inside:avoid}}
"""


def check_paper(paper: str) -> Paper:
    """The paper that was asked for, if there is such a one."""
    for known in PAPERS:
        if paper == known:
            return known
    raise OptionError(f"There is no theme {paper!r}: choose one of {', '.join(PAPERS)}.")


def page(title: str, body: str, *, paper: Paper = "auto", script: str = "") -> str:
    """A whole page around its body, with a script in its head if it needs one."""
    policy = SCRIPTED if script else POLICY
    head = f"<script>{script}</script>\n" if script else ""
    scheme = "light dark" if paper == "auto" else paper
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="{scheme}">\n'
        f"<title>{escape(title)}</title>\n<style>{_colours(paper)}{STYLE}</style>\n{head}"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def escape(text: object) -> str:
    """Text that a browser shows as it is."""
    return html.escape(str(text), quote=True)


def _colours(paper: Paper) -> str:
    if paper != "auto":
        return _root(DARK if paper == "dark" else LIGHT)
    return f"{_root(LIGHT)}@media (prefers-color-scheme:dark){{{_root(DARK)}}}"


def _root(theme: Theme) -> str:
    card = "#f6f7f9" if theme is LIGHT else "#1b212a"
    return (
        f":root{{color-scheme:{theme.name};--paper:{theme.paper};--line:{theme.line};"
        f"--muted:{theme.muted};--faint:{theme.faint};--ink:{theme.colour('ink 0')};--card:{card}}}"
    )


# Pictures -----------------------------------------------------------------------------------


def figure(picture: Picture, paper: Paper = "auto", caption: str = "") -> str:
    """A picture inside the page, for each paper; its title and words are its alternative text."""
    alt = escape(picture.alt or picture.title)
    width = round(picture.size[0] * 96)
    light = "" if paper == "dark" else data_uri(picture, "light")
    dark = "" if paper == "light" else data_uri(picture, "dark")
    source = ""
    if light and dark:
        source = f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
    image = f'<img src="{light or dark}" alt="{alt}" width="{width}" loading="lazy">'
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure><picture>{source}{image}</picture>{words}</figure>"


def data_uri(picture: Picture, theme: str) -> str:
    """The picture as data: lines as SVG, and as PNG where that would be very large."""
    svg = picture.to_svg(theme).encode()
    if len(svg) > LARGE_SVG:
        with remains.folder() as folder:
            picture.save(folder / "picture.png", theme)
            pixels = (folder / "picture.png").read_bytes()
        if len(pixels) < len(svg):
            return f"data:image/png;base64,{base64.b64encode(pixels).decode()}"
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


# Words and tables ---------------------------------------------------------------------------


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table whose first column names the rows; numbers stand to the right."""
    right = [i > 0 and all(_is_number(row[i]) for row in rows) for i in range(len(header))]
    look = [' class="number"' if each else "" for each in right]
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col"{look[i]}>{escape(c)}</th>' for i, c in enumerate(header))
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td{look[i]}>{escape(row[i])}</td>" for i in range(1, len(row)))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0"><table>{above}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _is_number(cell: str) -> bool:
    return cell in ("", "–") or cell.lstrip("+-−≈±").strip()[:1].isdigit()


def prose(text: str) -> str:
    """A docstring as paragraphs and lists; `code` stays code.

    >>> prose("One.\\n\\n- first,\\n  goes on\\n- second")
    '<p>One.</p><ul><li>first, goes on</li><li>second</li></ul>'
    """
    parts: list[str] = []
    for block in inspect.cleandoc(text).split("\n\n"):
        lines = [line for line in block.splitlines() if line.strip()]
        first = next((i for i, line in enumerate(lines) if line.startswith("- ")), len(lines))
        before, listed = lines[:first], lines[first:]
        if before:
            parts.append(f"<p>{_inline(' '.join(line.strip() for line in before))}</p>")
        items: list[str] = []
        for line in listed:
            if line.startswith("- "):
                items.append(line[2:].strip())
            else:
                items[-1] += f" {line.strip()}"
        if items:
            parts.append("<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>")
    return "".join(parts)


def _inline(text: str) -> str:
    """Escaped text with its `code`; a lone backquote is just one."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
