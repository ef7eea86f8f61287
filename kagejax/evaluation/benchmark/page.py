"""A report as one HTML file that needs no network and no script: figures are inside of it and follow light and dark mode.

What the file holds of others (titles of pairs, messages of failed runs) is shown as text, never as markup.
"""

import html
import importlib.resources
import re
from collections.abc import Mapping

from .document import Block, Document, Gallery, Picture, Section
from .drawing import PAPER
from .tables import Cell, Table

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def page(document: Document, svgs: Mapping[str, str]) -> str:
    """The report as HTML; `svgs` has the figures by name."""
    slots = {
        "title": _shown(document.title),
        "lead": "\n".join(f"<p>{_shown(text)}</p>" for text in document.lead),
        "notices": "\n".join(
            f'<p class="notice {notice.tone}"><b>{_shown(notice.title)}</b> {_shown(notice.text)}</p>'
            for notice in document.notices
        ),
        "places": "\n".join(f'<a href="#{section.anchor}">{_shown(section.title)}</a>' for section in document.sections),
        "sections": "\n".join(_section(section, svgs) for section in document.sections),
    }
    template = importlib.resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def _shown(text: str) -> str:
    """Text as markup that shows it; "->" as an arrow, and no line ends before a sign for per cent."""
    return html.escape(text.replace("->", "→").replace(" %", "\u00a0%"))


def _section(section: Section, svgs: Mapping[str, str]) -> str:
    blocks = "\n".join(_block(block, svgs) for block in section.blocks)
    return f'<section id="{section.anchor}">\n<h2>{_shown(section.title)}</h2>\n{blocks}\n</section>'


def _block(block: Block, svgs: Mapping[str, str]) -> str:
    if isinstance(block, str):
        return f'<p class="words">{_shown(block)}</p>'
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Gallery):
        return f'{_legend(block)}<div class="gallery">{"".join(_picture(one, svgs) for one in block.small)}</div>'
    return _picture(block, svgs)


def _legend(gallery: Gallery) -> str:
    entries = (
        f'<span class="key{" dashed" if key.dashed else ""}" style="--colour: var(--series-{key.colour % len(PAPER.series)})">'
        f"{_shown(key.label)}</span>"
        for key in gallery.key
    )
    return f'<p class="legend">{"".join(entries)}</p>'


def _picture(picture: Picture, svgs: Mapping[str, str]) -> str:
    """A figure, as wide as it was drawn where there is room."""
    drawn = svgs[picture.name]
    width = re.search(r'viewBox="0 0 ([\d.]+) ', drawn)
    caption = _shown(picture.caption)
    style = f' style="--width: {float(width[1]) * 4 / 3:.0f}px"' if width else ""
    drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return f'<figure class="chart"{style}>{drawn}<figcaption>{caption}</figcaption></figure>'


def _table(table: Table) -> str:
    head = "".join(f"<th{_classes(place, table)}>{_shown(cell)}</th>" for place, cell in enumerate(table.head))
    rows = "\n".join(
        "<tr>" + "".join(_cell(cell, place, table) for place, cell in enumerate(row)) + "</tr>" for row in table.rows
    )
    note = f'<p class="soft">{_shown(table.note)}</p>' if table.note else ""
    whole = (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>{note}'
    )
    title = _shown(table.title)
    if table.folded:
        return f"<details><summary>{title}</summary>{whole}</details>"
    return f'<div class="table"><h3>{title}</h3>{whole}</div>'


def _classes(place: int, table: Table, *more: str) -> str:
    """The attribute with the classes of a cell."""
    names = ["text" if place < table.texts else "", "wide" if place in table.wide else "", *more]
    found = " ".join(name for name in names if name)
    return f' class="{found}"' if found else ""


def _cell(cell: str | Cell, place: int, table: Table) -> str:
    if isinstance(cell, str):
        return f"<td{_classes(place, table)}>{_shown(cell)}</td>"
    style = "" if cell.share is None else f' style="--share: {cell.share:.3f}"'
    return f"<td{_classes(place, table, 'bar' if style else '', cell.tone)}{style}>{_shown(cell.text)}</td>"
