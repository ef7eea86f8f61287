"""A report as a document: sections of text, tables and figures, for Markdown and the page alike."""

from collections.abc import Sequence
from typing import NamedTuple

from .tables import Table, latex_table, markdown


class Picture(NamedTuple):
    """A figure, by the name of its chart."""

    name: str
    caption: str


class Key(NamedTuple):
    """An entry of a gallery's legend."""

    colour: int  # place among the series
    label: str
    dashed: bool = False


class Gallery(NamedTuple):
    """Small figures side by side on the page, under a legend; elsewhere the sheets that hold them all."""

    key: tuple[Key, ...]
    small: tuple[Picture, ...]
    sheets: tuple[Picture, ...]


class Notice(NamedTuple):
    """What a reader must not overlook."""

    tone: str  # bad or odd
    title: str
    text: str


Block = str | Table | Picture | Gallery
"""A part of a section; a text is a paragraph."""


class Section(NamedTuple):
    """A title and what stands under it."""

    title: str
    blocks: Sequence[Block]

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return "-".join("".join(letter if letter.isalnum() else " " for letter in self.title.lower()).split())


class Document(NamedTuple):
    """A whole report."""

    title: str
    lead: Sequence[str]  # paragraphs
    notices: Sequence[Notice]
    sections: Sequence[Section]
    latex: Sequence[Table]  # tables for a paper

    def without_pictures(self) -> "Document":
        """The same without figures, and without the sections that they were the point of."""
        kept = []
        for section in self.sections:
            blocks = [block for block in section.blocks if not isinstance(block, Picture | Gallery)]
            if len(blocks) == len(section.blocks) or any(isinstance(block, Table) for block in blocks):
                kept.append(section._replace(blocks=blocks))
        return self._replace(sections=kept)


def to_markdown(document: Document, folder: str, ending: str = "png") -> str:
    """As Markdown; figures are linked as files in `folder`."""
    parts = [f"# {document.title}", *document.lead]
    parts += [f"> **{notice.title}** {notice.text}" for notice in document.notices]
    for section in document.sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, str):
                parts.append(block)
            elif isinstance(block, Table):
                parts += [f"### {block.title}", markdown(block)]
            else:
                shown = block.sheets if isinstance(block, Gallery) else (block,)
                parts += [f"![{one.caption}]({folder}/{one.name}.{ending})\n\n*{one.caption}*" for one in shown]
    return "\n\n".join(parts) + "\n"


def to_latex(document: Document) -> str:
    """The tables for a paper; they need the package booktabs."""
    head = "% Needs \\usepackage{booktabs}.\n"
    return head + "\n".join(latex_table(table, f"kagejax-{place}") for place, table in enumerate(document.latex, 1))
