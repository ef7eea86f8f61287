"""Heads, hair and hats as grids of letters, for `_cast.py`. '.' leaves what lies beneath; a capital is the darker shade.

Letters here: s skin, h hair, e eye, w white, x hat, y its band, m metal, g gold, r red, k black. A head is 8 columns by 8
rows and looks to the right; what goes over it says in its name's entry of the cast where it starts.
"""

FACE = """
.ssssss.
ssssssss
ssssssss
ssssssss
Sssesses
Sssesses
SSssssss
.SSssss.
"""
BIG_FACE = """
..ssssss..
.ssssssss.
ssssssssss
ssssssssss
Sssssssses
SssesssesS
Sssesssess
SSssssssss
.SSssssss.
"""
SKULL = """
.wwwwww.
wwwwwwww
wwwwwwww
WwwwwwwW
WwkkwwkW
WWkkwwkk
.WWwwkww
..WkwkwW
"""
HOODED = """
..xxxx..
.xxxxxx.
xxxxxxxx
xxXkkkkx
xXkkekke
xXkkkkkk
xXkkkkkx
.XXkkkX.
"""
GREAT_HELM = """
..mmmmm.
.mmmmmmm
mmmmmmmm
Mmmmmmmm
Mmmkkkkk
MMmmmkmk
MMmmmkmk
.MMmmmm.
"""
BOX_HEAD = """
mmmmmmmm
mmmmmmmm
mMkkkkkk
mMkeekee
mMkeekee
mMkkkkkk
mmmmmmmm
MMMMMMMM
"""
SHORT_HAIR = """
..hhhhh.
.hhhhhhhh
hhhhhhhhh
hhhhhhhHh
hhHhHh.H.
hH..H....
HH.......
"""
SPIKY_HAIR = """
...h..h...
.h.hh.hh.h
.hhhhhhhhh.
hhhhhhhhhhh
.hhhhhhhHhh
hhhhHhhHhH.
.hHh.Hh..H.
hhH........
.hH........
.H.........
"""
LONG_HAIR = """
...hhhhh.
..hhhhhhh
.hhhhhhhhh
hhhhhhHhHh
hhhHHh..Hh
hhhH.....h
hhhH......
hhhh......
hHhhH.....
hHhhH.....
hhHh......
.hHh......
.hh.......
"""
BOB_HAIR = """
..hhhhh.
.hhhhhhhh
hhhhhhhhhh
hhhhhhhhhh
hhHHHHhHHh
hhH.....Hh
hhH......h
hhHH.....h
.hHH......
"""
PIGTAILS = """
....hhhhh...
...hhhhhhh..
..hhhhhhhhh.
rrhhhhHhhHrr
hhrhHh..H.hh
hhHhH.....hh
hhHH......hH
hhH.......hH
.hH.......H.
.h..........
"""
PONYTAIL = """
....hhhhh.
...hhhhhhhh
..hhhhhhhhh
rrhhhhHhhHh
hhrhHh...H.
hhhhH......
hhHHH......
hhh........
.hh........
.hH........
..h........
"""
AFRO = """
...hhhhhh...
.hhhhHhhhhh.
hhhhhhhhhhhh
hhHhhhhhHhhh
hhhhhhHhhhhh
hHhhhhhhhhHh
hhhhHHHhHHhh
hhhH.......h
.hHH......H.
.hhH........
..H.........
"""
WILD_HAIR = """
...h...h..
h.hhhhhh.h
.hhhhhhhhh
hhhhh......
.hhH.......
hhhH......h
.hhH.....
hhhH......
.h.h......
"""
CLOWN_HAIR = """
...........
.rr......rr
rrrr....rrr
rrrr.....rr
rrrR.....rR
rrR......R.
.R.........
"""
WIDE_HAT = """
....xxxxx...
...xxxxxxx..
...xxxxXxx..
...yyyyyyy..
xxxxxxxxxxxx
.XXXXXXXXXX.
"""
STRAW_HAT = """
....xxxxxx..
...xxXxxXxx.
...yyyyyyyy.
xxxxXxxXxxXx
.XxXXXXXXxX.
"""
FEDORA = """
...xxx.xx...
...xxxxxxx..
...xxxxxxx..
...yyyyyyy..
.xxxxxxxxxx.
"""
CAP = """
..xxxxx...
.xxxxxxx..
xxxxxxxxx.
xxxxxxxxyyy
"""
WIZARD_HAT = """
..xx........
...xxx......
....xxxx....
....xxgxx...
...xxxxxx...
...xxxxxxx..
..yyyyyyyyy.
xxxxxxxxxxxx
"""
TALL_HAT = """
.......x....
......xx....
......xxx...
.....xxgx...
.....xxxxx..
....xxxxxx..
....xgxxxxx.
...yyyyyyyy.
..XXXXXXXXX.
"""
ELF_HAT = """
.xx.........
.xxxx.......
..xxxxxx....
...xxxxxxx..
...xxxxxxxx.
...yyyyyyyyy
"""
VIKING_HELM = """
w.........w
ww.......ww
.ww.mmm.ww.
..wmmmmmw..
...mmMmm...
..mmmmmmmm.
..ggggggggg
"""
HORNS = """
r.......r
rr.....rr
.rr...rr.
"""
PLUME = """
..yyyyy..
.yyyyyyyy
yyyy...yy
yyY......
yY.......
Y........
"""
CROWN = """
g..g..g.
gg.gg.gg
gggrggrg
GGGGGGGG
"""
ANTENNA = """
..r.
..m.
.mmm
"""
LONG_BEARD = """
hh....hh
hhhhhhhh
Hhhhhhhh
.Hhhhhh.
.HhhhHh.
..HhhH..
...hh...
"""
FULL_BEARD = """
hh......
hhhhHHhh
HhhhhhhH
.HhhhhH.
..HhhH..
"""
MOUSTACHE = "hhhh\nhHHh"
SHADES = "kkkkkkk\n.kkkkkk"
GLASSES = "kkqqkkqq\n..qqk.qq"
RED_NOSE = "rr\nrr"
BANDANA = """
yyyyyyyy
.yyyyyy.
..yyyy..
"""
POINTED_EAR = """
s..
ss.
.sS
"""
