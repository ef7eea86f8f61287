"""Proof that a timed program draws: read from the program that the compiler made, and from what it leaves in memory.

A compiler deletes frames that nobody needs, and moves out of the loop what is the same at every step. Either makes a benchmark
of a renderer measure nothing, as it did in published figures of this field.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

NAMES = {"uint8": "u8", "int8": "s8", "int32": "s32", "uint32": "u32", "float32": "f32", "bfloat16": "bf16", "float16": "f16"}
"""Element types as XLA's text has them."""
TRANSPARENT = ("copy", "bitcast", "opt-barrier", "copy-start", "copy-done")
"""Instructions that give on what they are given."""


class FramesNotDrawn(RuntimeError):
    """The program that was to be timed does not draw every frame; its speed would mean nothing."""


class Instruction(NamedTuple):
    """One line of XLA's text."""

    name: str
    type: str
    operation: str
    operands: tuple[str, ...]
    attributes: str
    root: bool


class Module(NamedTuple):
    """A compiled program: its computations, each a mapping of instructions by name."""

    computations: dict[str, dict[str, Instruction]]
    entry: str


def require_drawing(text: str, frame: Any, envs: int) -> None:
    """Raises FramesNotDrawn unless the optimised program `text` draws at each turn of its loop.

    That is: its outermost loop carries a buffer of at least `envs` frames (the largest leaf of `frame`, an observation's shape
    and dtype; `envs` of one device), and what a turn puts there is computed from arrays that change from turn to turn, and
    neither from that buffer nor from scalar counters alone.
    """
    leaf = max(jax.tree.leaves(frame), key=lambda leaf: math.prod(leaf.shape))
    kind, size = NAMES[np.dtype(leaf.dtype).name], envs * math.prod(leaf.shape)
    module = parse(text)
    found = "it has no loop"
    for loop in _outer_loops(module):
        found = _missing(module, loop, kind, size)
        if not found:
            return
    raise FramesNotDrawn(
        f"The compiled program does not draw {envs:,} frames at each step: {found}. The row is refused, since its figure would "
        "be that of a program without pictures. Make sure that the loop keeps what `observe` gives of its new state."
    )


def require_whole(step: Callable[[Any], Any], carries: tuple[Any, Any]) -> None:
    """Raises FramesNotDrawn unless one step writes every byte of its frames.

    `carries` are the same but for what lies in the buffer of frames before: `step` must leave the same in both.
    """
    seen = []
    for carry in carries:
        after = step(carry)
        seen.append(np.asarray(jax.jit(_sums)(after.frames)))
        del after
    differing = int((seen[0] != seen[1]).sum())
    if differing:
        raise FramesNotDrawn(
            f"In {differing:,} of {len(seen[0]):,} frames a step leaves bytes of the buffer as they were. The row is refused: "
            "a frame counts only if it is drawn whole."
        )


def _sums(frames: Any) -> jax.Array:
    """Sum of each environment's frame, u32 [envs]."""
    return sum(leaf.reshape(leaf.shape[0], -1).sum(1, dtype=jnp.uint32) for leaf in jax.tree.leaves(frames))


def parse(text: str) -> Module:
    """Reads the text of an optimised program, as `jax.stages.Compiled.as_text` gives it."""
    computations, entry, current = {}, "", None
    for line in text.splitlines():
        header = re.match(r"(ENTRY )?%?([\w.\-]+) \(.*\{$", line)
        if header:
            current = computations.setdefault(header[2], {})
            entry = header[2] if header[1] else entry
        elif line.startswith("}"):
            current = None
        elif current is not None and (instruction := _instruction(line)):
            current[instruction.name] = instruction
    return Module(computations, entry)


def _instruction(line: str) -> Instruction | None:
    head = re.match(r"\s+(ROOT )?%?([\w.\-]+) = ", line)
    if not head:
        return None
    rest = line[head.end() :]
    end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.index(" ")
    call = re.match(r"\S*\s*([\w\-]+)\(", rest[end:])
    if not call:
        return None
    opening = end + call.end() - 1
    closing = _closing(rest, opening)
    operands = tuple(re.findall(r"%([\w.\-]+)", rest[opening:closing]))
    return Instruction(head[2], rest[:end], call[1], operands, rest[closing:], bool(head[1]))


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text) - 1


def _outer_loops(module: Module) -> Iterator[Instruction]:
    """Loops that no other loop contains."""
    waiting, seen = [module.entry], set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in module.computations:
            continue
        seen.add(name)
        for instruction in module.computations[name].values():
            if instruction.operation == "while":
                yield instruction
            else:
                waiting += [word for word in re.findall(r"%([\w.\-]+)", instruction.attributes) if word in module.computations]


def _missing(module: Module, loop: Instruction, kind: str, size: int) -> str:
    """What keeps `loop` from being one that draws; empty if nothing does."""
    kinds = re.findall(r"(\w+)\[([\d,]*)\]", loop.type)
    shapes = [(name, math.prod(int(extent) for extent in extents.split(",") if extent)) for name, extents in kinds]
    pictures = [index for index, (name, count) in enumerate(shapes) if name == kind and count >= size]
    if not pictures:
        return f"its loop carries no {kind} buffer of {size:,} elements"
    body = module.computations[re.search(r"body=%?([\w.\-]+)", loop.attributes)[1]]
    parameter = next(instruction.name for instruction in body.values() if instruction.operation == "parameter")
    root = next(instruction for instruction in body.values() if instruction.root)

    def carried(name: str) -> int | None:
        """Which element of the carry `name` merely gives on."""
        while body[name].operation in TRANSPARENT and body[name].operands:
            name = body[name].operands[0]
        instruction = body[name]
        if instruction.operation != "get-tuple-element" or instruction.operands != (parameter,):
            return None
        return int(re.search(r"index=(\d+)", instruction.attributes)[1])

    results = list(root.operands) if root.operation == "tuple" else [root.name] * len(shapes)
    changing = {index for index, name in enumerate(results) if carried(name) != index}
    moving = {index for index in changing - set(pictures) if kinds[index][1]}
    if not any(index in changing for index in pictures):
        return "its buffer of frames stays as it is, so they were drawn once, outside of the loop"
    for index in set(pictures) & changing:
        if _sources(body, results[index], parameter) & moving:
            return ""
    return "what it puts in its buffer of frames does not depend on any state that changes"


def _sources(body: dict[str, Instruction], name: str, parameter: str) -> set[int]:
    """Elements of the carry that `name` is computed from."""
    waiting, seen, found = [name], set(), set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in body:
            continue
        seen.add(name)
        instruction = body[name]
        if instruction.operation == "get-tuple-element" and instruction.operands == (parameter,):
            found.add(int(re.search(r"index=(\d+)", instruction.attributes)[1]))
        else:
            waiting += instruction.operands
    return found
