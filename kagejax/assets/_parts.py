"""Pieces of characters as grids of letters. A skin gives each letter a colour; '.' leaves what lies beneath.

Letters: s S skin and its shade, h H hair, e eye, t T top, l L legs, b shoes, a belt or trim, m M metal, g gold,
w W white, k black, x X what the skin chooses (hat, weapon, tail).
"""

HEAD = """
..hhhhhh.
.hhhhhhhh
hhhhhsssh
hhhssssss
hhsssesse
hHsssesse
.HSssssss
..SSssss.
"""
SKULL = """
..wwwwww.
.wwwwwwww
wwwwwwwww
wwwkkwwkk
wWwkkwwkk
.WWwwwkww
..Wwwwwww
..WkWkWk.
"""
TORSO = """
.tttttt.
tttttttt
Tttttttt
Tttttttt
Tttttttt
aaaaaaaa
"""
ARM = """
TT
tt
tt
tt
ss
"""
ARM_FORWARD = """
TT..
.tt.
..tt
...s
"""
ARM_BACK = """
..TT
.tt.
tt..
s...
"""
LEGS = (
    """
.llllll.
.lllLll.
.lllLll.
.lllLll.
.bbbbbb.
""",
    """
.llllll.
lllLLlll
lll..Lll
bb....bb
bbb...bb
""",
    """
.llllll.
.LLllll.
..LLlll.
.bbllbb.
.b..bbb.
""",
)
