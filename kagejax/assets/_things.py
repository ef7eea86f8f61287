"""What characters hold and wear on the back, and the dog, as grids of letters for `_cast.py`.

Letters here: m metal, g gold, o wood, w white, c cloth or glow, t and a body and trim, x patches. '@' marks the hand.
"""

SWORD = """
.m.
.mM
.mM
.mM
.mM
.mM
ggg
.@.
.o.
"""
AXE = """
.mm.
omMm
omMm
o.m.
o...
o...
@...
o...
o...
"""
STAFF = """
.c.
ccc
cCc
.o.
.o.
.o.
.o.
.o.
.@.
.o.
.o.
.o.
"""
PITCHFORK = """
m.m.m
m.m.m
mmmmm
..o..
..o..
..o..
..o..
..@..
..o..
..o..
"""
BOW = """
o..
wo.
w.o
w.o
w.@
w.o
w.o
wo.
o..
"""
DAGGER = """
.m
.m
.m
gg
.@
"""
FLASK = """
.w..
.w..
fff.
fFf.
.@..
"""
WAND = """
.g.
ggg
.g.
.o.
.o.
.@.
"""
PISTOL = """
@mmm
.o..
"""
LASSO = """
.oo.
o..o
@oo.
"""
SHIELD = """
aaaaa
attta
atgta
attta
.ata.
..a..
"""
SACK = """
..oo.
.ooo.
oooOo
ooOoo
Ooooo
.OOO.
"""
CAPE = (
    """
..cc
.ccc
.ccc
.ccC
.ccC
cccC
cccC
ccCC
cCC.
""",
    """
..cc
.ccc
.ccC
cccC
cccC
ccCC
ccC.
cC..
""",
)
DOG = (
    """
............xx..
...........Xttt.
............ttett
t..........XtttTk
tt.........XtttW.
.tttttttttttaaa.
..tttxxttttttt..
..txxxxttttttt..
..ttxxtttttttt..
..ttttTTTTtttw..
..tT.......tT...
..tT.......tT...
..tT.......tT...
..wW.......wW...
""",
    """
t...............
t...........xx..
tt.........Xttt.
.t..........ttett
.t.........XtttTk
.tttttttttttaaaW
..tttxxttttttt..
..txxxxttttttt..
..ttxxtttttttt..
..ttttTTTTtttw..
.tt.TT....TT.tt.
.t...TT..TT...t.
tt....T..T....tt
ww...WW.WW....ww
""",
)
