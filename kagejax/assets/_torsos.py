"""Torsos as grids of letters, 8 columns wide, for `_cast.py`. '.' leaves what lies beneath; a capital is the darker shade.

Letters here: t top, l trousers or skirt, a belt or trim, b leather, c coat or glow, s skin, m metal, g gold, o wood or belt,
r red, w white, k black, y second trim.
"""

SHIRT = """
.tttttt.
.tttttt.
.Tttttt.
.Tttttt.
.Tttttt.
.aaagaa.
"""
SMALL_SHIRT = """
.tttttt.
.aaaaaa.
.tttttt.
.aaaaaa.
"""
TINY_SHIRT = """
.tttttt.
.Ttttat.
.Tttttt.
"""
VEST = """
.ttaaat.
.ttaaat.
.Ttaaat.
.Ttaaat.
.Tttatt.
.bbbgbb.
"""
PONCHO = """
.tttttt.
tttttttt
aaaaaaaa
tttttttt
yTyTyTyT
.LllgLl.
"""
OVERALLS = """
.tlttlt.
.tlttlt.
.llllll.
.lgllgl.
.llllll.
.llllll.
"""
SHIRT_AND_TIE = """
.ttrrtt.
.tttrtt.
.tttrtt.
.TttRtt.
.Tttttt.
.aaagaa.
"""
COAT = """
.ccwwcc.
.cctrcc.
.ccttcc.
.Cccccc.
.Cccgcc.
.Cccccc.
"""
TRENCH = """
cccwwccc
.cccrcc.
.Ccccgc.
.Cccccc.
.kkkkgk.
.Ccccgc.
"""
MOTLEY = """
wwwwwwww
.tttaaa.
.tgtaaa.
.tttaga.
.tttaaa.
.ttgaaa.
"""
PLATE = """
mmmmmmmm
MmmmmmmM
.MmmMmm.
.MmmMmm.
.MMmMmM.
.aaagaa.
"""
TABARD = """
mmtttamm
Mtttatta
.ttaaat.
.Ttttat.
.Tttttt.
.aaagaa.
"""
BONES = """
.wwwwww.
...Ww...
.wwwwww.
..kWwk..
.wwwwww.
...Ww...
"""
DRESS = """
.tsssst.
.tttttt.
.Tttttt.
..tttt..
..aaaa..
.tttttt.
"""
SMALL_DRESS = """
.tttttt.
.Tttttt.
..aaaa..
.tttttt.
"""
SAILOR = """
.bbwwbb.
.wbrrbw.
.Wwrrww.
.Wwwwww.
.llllll.
"""
HOODIE = """
.TTttTT.
.tttatt.
.Tttatt.
.Tttttt.
.TaTTaT.
"""
BARE_CHEST = """
ssssssss
SssSsssS
.sasSss.
.Ssaass.
.SsSsas.
.bbbgbb.
"""
TUNIC = """
.tgttgt.
.tttttt.
.Tttttt.
.ooogoo.
.tttttt.
.Ttttttt
"""
ROBE_TOP = """
.ttttat.
.ttttat.
.Tttatt.
.Tttatt.
.yyygyy.
.Tttatt.
"""
CUIRASS = """
.mmmmmm.
mmMMMMmm
mMceMcem
.Mmmmmm.
.MMkkMM.
..mmmm..
"""
