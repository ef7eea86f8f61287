"""Who the 27 skins are: parts from `_heads.py`, `_torsos.py`, `_limbs.py` and `_things.py`, and a colour for each letter."""

from typing import NamedTuple

from kagejax.assets import _heads as heads
from kagejax.assets import _limbs as limbs
from kagejax.assets import _things as things
from kagejax.assets import _torsos as torsos

Layer = tuple[str, int, int]  # grid, and the row and column where it starts, from the corner of the head


class Character(NamedTuple):
    """One skin. `head` lists layers from the lowest to the topmost; the first is the face."""

    paints: str  # letter=colour, space-separated; a capital without one is a darker shade
    torso: str
    legs: tuple[str, str, str]
    head: tuple[Layer, ...]
    arms: bool = True
    held: str | None = None  # in the far hand
    back: tuple[str, str] | None = None  # behind the body: standing, stepping
    chest: tuple[Layer, ...] = ()  # over the torso, from its corner: beards, shields
    frames: int = 2


SKIN, TAN, BROWN, PALE = "s=f2c49b S=d39a70", "s=d9a066 S=b57a45", "s=8d5a3a S=6b4029", "s=f6e3d0 S=d8b8a0"
STEEL = "m=c3ccd6 M=7f8b9a g=e8b93c"

CAST = {
    "boy": Character(
        f"{SKIN} h=6b3f1d e=2a1a14 t=f2c230 a=d9482b v=f2c230 l=2f62b5 b=e5e5ea B=a9a9b8 x=d9302b y=a81f24",
        torsos.SMALL_SHIRT,
        limbs.SHORTS,
        ((heads.FACE, 0, 0), (heads.SHORT_HAIR, -1, 0), (heads.CAP, -2, -1)),
    ),
    "chibi": Character(
        f"{PALE} h=19b5a5 H=0e7f7c e=5b1a86 t=ff6fae a=ffffff v=ff6fae l=40306b b=ffd34d",
        torsos.TINY_SHIRT,
        limbs.TINY_LEGS,
        ((heads.BIG_FACE, 0, -1), (heads.SPIKY_HAIR, -3, -2)),
    ),
    "clown": Character(
        "s=fbf3ee S=dccfd0 e=1b4fc4 r=f0483e R=b52a2a t=ffd23f a=3a86e8 g=f0483e v=ffd23f V=3a86e8 l=3a86e8 L=ffd23f "
        "b=e0322b w=ffffff W=cfd6e6",
        torsos.MOTLEY,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.CLOWN_HAIR, -1, -2), (heads.RED_NOSE, 5, 7)),
    ),
    "cowboy": Character(
        f"{TAN} h=4b2a14 e=201410 t=7a4a22 a=efe3c8 v=efe3c8 V=c7b78f l=34568b b=5a3216 g=f2d35a x=9a6230 X=6b4019 y=3c2411 "
        "m=59606b o=3c2411",
        torsos.VEST,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.SHORT_HAIR, -1, 0), (heads.WIDE_HAT, -3, -2)),
        held=things.PISTOL,
        chest=((heads.BANDANA, -1, 0),),
    ),
    "cowboy_2": Character(
        f"{TAN} h=d8d5cf H=a5a29c e=201410 t=2f7d4f a=f29d38 y=f2e2b0 v=2f7d4f l=3b3140 b=201a22 g=f2d35a x=2b2730 X=15121a "
        "o=c9a05a",
        torsos.PONCHO,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.WIDE_HAT, -3, -2), (heads.MOUSTACHE, 6, 4)),
        held=things.LASSO,
    ),
    "dark_knight": Character(
        "m=4a4658 M=2c2838 k=ff3b30 g=8a2be2 a=201c2c v=4a4658 l=39354a b=201c2c r=cfc8b8 s=2c2838 c=8426b8 C=571680 o=201c2c",
        torsos.PLATE,
        limbs.TROUSERS,
        ((heads.GREAT_HELM, 0, 0), (heads.HORNS, -3, 0)),
        held=things.SWORD,
        back=things.CAPE,
        frames=3,
    ),
    "dark_knight_2": Character(
        "m=35507a M=1f3050 k=ffd84a g=c9a227 a=c9a227 t=8e1b2e v=35507a l=26304a b=151b2b y=e33b3b Y=a11f2a s=1f3050 o=6b4423",
        torsos.PLATE,
        limbs.TROUSERS,
        ((heads.GREAT_HELM, 0, 0), (heads.PLUME, -2, -1)),
        held=things.AXE,
        chest=((things.SHIELD, 0, -2),),
    ),
    "dark_skeleton": Character(
        "w=8b86a0 W=56516c k=ff4530 v=8b86a0 l=47435a s=6f6a7d c=3d1f55 C=27123a m=9ad14b M=5f8f2a g=47435a o=27123a",
        torsos.BONES,
        limbs.BONE_LEGS,
        ((heads.SKULL, 0, 0),),
        held=things.SWORD,
        back=things.CAPE,
        frames=3,
    ),
    "dog": Character("t=c98d4e T=9c6730 x=5f3a1e X=5f3a1e e=20140e k=20140e a=d9302b w=fff4e2 W=ddc8a8", "", ("", "", ""), ()),
    "elder_skeleton": Character(
        "w=f1ead2 W=b8ac88 k=2a1c3a h=d9dde6 H=a9b0c0 v=7b2f8e l=5f2370 t=7b2f8e a=e8b93c y=e8b93c s=f1ead2 g=ffd23f "
        "G=c48f1e r=e33b3b c=5df2c2 C=2ab58a o=7a5230 b=3c1248",
        torsos.ROBE_TOP,
        limbs.ROBE,
        ((heads.SKULL, 0, 0), (heads.CROWN, -3, 0)),
        held=things.STAFF,
        chest=((heads.LONG_BEARD, -1, 0),),
        frames=3,
    ),
    "elf": Character(
        f"{PALE} h=f4d35e H=caa12f e=1c6b3a t=3f9b46 g=f4d35e v=3f9b46 l=8a6a3e b=5a3d1e o=5a3d1e x=2f8a3c y=d9482b w=e8e8e8",
        torsos.TUNIC,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.BOB_HAIR, -1, -1), (heads.POINTED_EAR, 3, 0), (heads.ELF_HAT, -4, -3)),
        held=things.BOW,
    ),
    "enchanter": Character(
        f"{SKIN} h=f2f2f7 H=bfc3d6 e=203060 t=2d4fd0 a=f4d35e y=f4d35e g=ffe36e v=2d4fd0 x=2d4fd0 X=1b3290 c=5de3ff C=2aa3d8 "
        "o=8a5a2b b=5a3d1e",
        torsos.ROBE_TOP,
        limbs.ROBE,
        ((heads.FACE, 0, 0), (heads.BOB_HAIR, -1, -1), (heads.TALL_HAT, -7, -2)),
        held=things.STAFF,
        chest=((heads.LONG_BEARD, -2, 0),),
    ),
    "farmer": Character(
        f"{TAN} h=a8602c e=2a1a14 t=d63a31 l=4a72b8 g=f2d35a v=d63a31 b=6b4423 x=f0d27a X=c9a24a y=b0392e m=b5bcc6 o=8a5a2b",
        torsos.OVERALLS,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.SHORT_HAIR, -1, 0), (heads.STRAW_HAT, -3, -2)),
        held=things.PITCHFORK,
    ),
    "girl": Character(
        f"{SKIN} h=e2582a H=ae3a17 e=2a6b3a t=ff7eb6 a=ffffff v=ff7eb6 l=ff7eb6 b=b5316b r=fff06b",
        torsos.SMALL_DRESS,
        limbs.SMALL_SKIRT,
        ((heads.FACE, 0, 0), (heads.PIGTAILS, -2, -2)),
    ),
    "girl_2": Character(
        f"{PALE} h=26213a H=151124 e=3a2a86 w=ffffff W=cdd4e6 b=23407d B=182c58 r=e33b4b v=ffffff V=cdd4e6 l=23407d",
        torsos.SAILOR,
        limbs.SKIRT,
        ((heads.FACE, 0, 0), (heads.BOB_HAIR, -1, -1)),
        frames=3,
    ),
    "girl_3": Character(
        f"{SKIN} h=f7d154 H=c99a26 e=205090 t=3fb56b a=eafff0 v=3fb56b l=7048a8 b=f25f8a r=e33b8b",
        torsos.HOODIE,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.PONYTAIL, -2, -2)),
    ),
    "knight": Character(
        f"{STEEL} k=20242e t=2e62c9 a=f4f4f4 v=aeb9c6 V=7f8b9a l=8793a3 b=59636f y=2f6fe0 s=7f8b9a o=6b4423",
        torsos.TABARD,
        limbs.TROUSERS,
        ((heads.GREAT_HELM, 0, 0), (heads.PLUME, -2, -1)),
        held=things.SWORD,
    ),
    "man": Character(
        f"{SKIN} h=5a3a22 H=3c2514 e=20140e t=f4f4f4 T=c8ccd6 r=c0392b a=3c2415 g=e8b93c v=f4f4f4 V=c8ccd6 l=6b4a2b b=2e1d10",
        torsos.SHIRT_AND_TIE,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.SHORT_HAIR, -1, 0), (heads.FULL_BEARD, 6, 0)),
    ),
    "robot": Character(
        "m=b9c4cf M=7d8994 k=16324a e=3df2ff c=f28c28 C=b8601a r=ff4040 v=8a96a3 V=66717d s=f28c28 S=b8601a",
        torsos.CUIRASS,
        limbs.ROBOT_LEGS,
        ((heads.BOX_HEAD, 0, 0), (heads.ANTENNA, -3, 2)),
    ),
    "scientist": Character(
        f"{SKIN} h=d5d9e0 H=9aa1ad e=20242e c=fbfcff C=c2cad8 f=66f05a q=8fe3ff t=4a8fd0 r=7a2fb0 g=66f05a v=fbfcff V=c9d1de "
        "l=454f66 L=343c50 b=20242e "
        "w=ffffff k=20242e",
        torsos.COAT,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.WILD_HAIR, -1, -1), (heads.GLASSES, 4, 1)),
        held=things.FLASK,
    ),
    "skeleton": Character(
        "w=f7f3e6 W=bfb79c k=1c1a26 v=f7f3e6 V=bfb79c s=f7f3e6",
        torsos.BONES,
        limbs.BONE_LEGS,
        ((heads.SKULL, 0, 0),),
    ),
    "spy": Character(
        f"{SKIN} h=2a2020 e=101014 k=14141c c=8a7f6a C=655c4b w=f4f4f4 r=b01e28 g=d8b04a v=8a7f6a "
        "l=30303c b=101014 x=5b5548 X=3c382f "
        "y=1a1a20 L=655c4b",
        torsos.TRENCH,
        limbs.COAT_TAILS,
        ((heads.FACE, 0, 0), (heads.SHORT_HAIR, -1, 0), (heads.FEDORA, -3, -2), (heads.SHADES, 4, 1)),
    ),
    "thief": Character(
        f"{TAN} x=3f5a3a X=27391f k=12160f e=f5e663 t=3c4034 g=8a6a3e v=4c5244 l=33302a b=1c1a16 o=b08a56 m=dfe6ec M=9aa5b0",
        torsos.TUNIC,
        limbs.TROUSERS,
        ((heads.HOODED, 0, 0),),
        held=things.DAGGER,
        chest=((things.SACK, -2, -4),),
    ),
    "warrior": Character(
        f"{SKIN} h=d9541e H=a33a12 e=203a5a a=6b3f1d b=4a2c14 g=e8b93c v=f2c49b V=d39a70 "
        "l=7a5533 m=b9c0c8 M=7c858f w=f4ead2 o=8a5a2b",
        torsos.BARE_CHEST,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.FULL_BEARD, 6, 0), (heads.VIKING_HELM, -4, -2)),
        held=things.AXE,
    ),
    "woman": Character(
        f"{SKIN} h=5b2f18 H=3c1d0d e=20140e t=cf2338 a=7a1222 v=f2c49b V=d39a70 l=cf2338 b=7a1222",
        torsos.DRESS,
        limbs.SKIRT,
        ((heads.FACE, 0, 0), (heads.LONG_HAIR, -1, -2)),
    ),
    "woman_2": Character(
        f"{BROWN} h=2a1a16 H=3f2a22 e=120c0a t=f28c28 a=fff0c0 g=fff0c0 v=f28c28 l=12908e b=f2e2b0",
        torsos.SHIRT,
        limbs.TROUSERS,
        ((heads.FACE, 0, 0), (heads.AFRO, -3, -2)),
        frames=3,
    ),
    "woman_wizard": Character(
        f"{PALE} h=f07f22 H=b8560f e=5b2a86 t=6a2fa0 a=58e08a y=58e08a g=ffe36e v=6a2fa0 x=4b1f78 b=2a1240 o=8a5a2b",
        torsos.ROBE_TOP,
        limbs.ROBE,
        ((heads.FACE, 0, 0), (heads.LONG_HAIR, -1, -2), (heads.WIZARD_HAT, -6, -2)),
        held=things.WAND,
    ),
}
