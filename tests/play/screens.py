"""A terminal small enough to read, and a command run in one."""

import codecs
import os
import pty
import re
import select
import struct
import subprocess
import sys
import time

import numpy as np

SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal shows of what was written to it: characters and colours of cells."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.modes, self.rest = set(), ""
        self.clear()

    def clear(self):
        self.text = [[" "] * self.columns for _ in range(self.rows)]
        self.colors = np.zeros((self.rows, self.columns, 2, 3), np.uint8)
        self.at, self.pen = [0, 0], [(200, 200, 200), (0, 0, 0)]

    def write(self, text):
        text = self.rest + text
        self.rest = ""
        while text:
            if text[0] != "\x1b":
                self.put(text[0])
                text = text[1:]
                continue
            found = SEQUENCE.match(text)
            if not found:
                self.rest = text
                return
            self.command(found[1], found[2])
            text = text[found.end() :]

    def put(self, sign):
        if sign == "\n":
            self.at = [self.at[0] + 1, 0]
        elif sign == "\r":
            self.at[1] = 0
        else:
            if "?1049" not in self.modes:
                self.roll()
            row, column = self.at
            assert row < self.rows and column < self.columns, f"{sign!r} at {self.at} is off the screen"
            self.text[row][column] = sign
            self.colors[row, column] = self.pen
            self.at[1] += 1

    def roll(self):
        """Where a terminal is no page, long lines go on below, and what is above goes away."""
        if self.at[1] == self.columns:
            self.at = [self.at[0] + 1, 0]
        while self.at[0] >= self.rows:
            self.at[0] -= 1
            self.text = [*self.text[1:], [" "] * self.columns]

    def command(self, numbers, letter):
        if letter in "hl":
            (self.modes.add if letter == "h" else self.modes.discard)(numbers)
            if numbers == "?1049":  # the other screen, empty when it is entered and when it is left
                self.clear()
        elif letter == "J" and numbers == "2":
            self.clear()
        elif letter == "J":
            for row in range(self.at[0], self.rows):
                self.text[row], self.colors[row] = [" "] * self.columns, (self.pen,)
        elif letter == "H":
            row, _, column = numbers.partition(";")
            self.at = [int(row or 1) - 1, int(column or 1) - 1]
        elif letter == "K":
            for column in range(self.at[1], self.columns):
                self.text[self.at[0]][column] = " "
                self.colors[self.at[0], column] = self.pen
        elif letter == "m":
            codes = [int(code) for code in numbers.split(";") if code]
            while codes:
                if codes[0] in (38, 48):
                    self.pen[codes[0] == 48] = tuple(codes[2:5])
                    codes = codes[5:]
                else:
                    self.pen = [(200, 200, 200), (0, 0, 0)] if codes[0] == 0 else self.pen
                    codes = codes[1:]

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self.text]

    def pixels(self):
        """Two per cell: half blocks as they are, other cells by their ground."""
        halves = np.array([[sign == "▀" for sign in row] for row in self.text])
        top = np.where(halves[..., None], self.colors[:, :, 0], self.colors[:, :, 1])
        return np.stack([top, self.colors[:, :, 1]], axis=1).reshape(2 * self.rows, self.columns, 3)


class Played:
    """A command in a pseudo terminal."""

    def __init__(self, arguments, columns, rows, **environment):
        self.screen = Screen(columns, rows)
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        values = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
        self.process = subprocess.Popen(
            [sys.executable, *arguments], stdin=slave, stdout=slave, stderr=slave, env=values, start_new_session=True
        )
        self.slave, self.raw = slave, b""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def resize(self, columns, rows):
        import fcntl
        import termios

        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self):
        import termios

        return termios.tcgetattr(self.slave)

    def press(self, keys):
        os.write(self.master, keys.encode())

    def until(self, shows, seconds=120):
        """Reads until some line of the screen has the text `shows`."""
        end = time.monotonic() + seconds
        while not any(shows in line for line in self.screen.lines):
            assert time.monotonic() < end, "\n".join(self.screen.lines)
            if select.select([self.master], [], [], 0.1)[0]:
                self.read()

    def read(self):
        new = os.read(self.master, 65536)
        self.raw += new
        self.screen.write(self.decoder.decode(new))

    def end(self, seconds=60):
        """Reads the rest; the exit status."""
        status = None
        end = time.monotonic() + seconds
        while status is None or select.select([self.master], [], [], 0)[0]:
            assert time.monotonic() < end, "\n".join(self.screen.lines)
            if select.select([self.master], [], [], 0.1)[0]:
                self.read()
            status = self.process.poll()
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
