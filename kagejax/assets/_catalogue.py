"""What each of the 128 backgrounds shows: a title, a brush and its settings.

Subjects are listed together here and dealt out evenly, so that any few neighbouring indices show different things.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from kagejax.assets import _landscapes as land
from kagejax.assets import _patterns as patterns
from kagejax.assets import _rooms as rooms
from kagejax.assets import _skies as skies
from kagejax.assets import _space as space
from kagejax.assets import _textures as textures
from kagejax.assets import _towns as towns
from kagejax.assets import _waters as waters
from kagejax.assets import _woods as woods


class Entry(NamedTuple):
    """One picture."""

    title: str
    brush: Callable[..., Any]
    settings: dict[str, Any]


def entry(title: str, brush: Callable[..., Any], *arguments: Any, **settings: Any) -> Entry:
    """An entry; positional arguments of the brush after its dice may be given by position."""
    names = brush.__code__.co_varnames[1 : 1 + len(arguments)]
    return Entry(title, brush, dict(zip(names, arguments, strict=True)) | settings)


MOUNTAINS = (
    entry("alps at noon", land.mountains, "3f8fe0 bfe3ff", "7f93b8 5b6f94 3f5a4a 2f4a2c", "ffffff", "fff6c8"),
    entry("red peaks at dusk", land.mountains, "2b1b52 c0486a ffb36b", "8a4a6e 6a2f58 471f45 24112b", "ffd9c0", "ffe7a0"),
    entry("green ridges in mist", land.mountains, "d8e8e0 f4f7ee", "9dbfb0 6fa08a 47785f 274f3c", height=40),
    entry("violet night range", land.mountains, "0b0c2a 2a2a6a 5a4a9a", "40408a 2f2f70 202056 101032", "c8ccff", "f4f0ff"),
    entry("teal fjord walls", land.mountains, "0f5a6a 4fb0b0 d8f0d8", "2f8a8a 1f6a70 12484f 082c33", "e8fff8", "", 60, 118),
)
COUNTRY = (
    entry("spring meadow", land.hills, "5fb8f5 d8f1ff", "8ecb6a 6bb84c 4a9a38 2f7d2c", "ffffff ffd23f f25f8a"),
    entry("heather moor", land.hills, "8a9ac0 e8dcec", "a88ac0 8a62a8 6a4488 45306a", "e8a0f0 c86ad8 ffffff", "f4ecf8"),
    entry("autumn downs", land.hills, "f2a65a ffe6b8", "d9a03a c07a28 9a5420 6a3818", "e8452e ffd23f fff0d0"),
    entry("sunflower rows", woods.field, "4aa8f0 c8ecff", "b8a830 5a8a28 2f5a1c", "ffc914", "ffffff"),
    entry("tulips and a mill", woods.field, "9ad4f0 f4fbff", "c03a5a e8486a a01f48", "ffd0dc", "ffffff", "c8b090"),
    entry("lavender evening", woods.field, "ff9a6a ffd8b0", "6a4aa0 7a52b8 3a2468", "c8a0ff", "ff7a8a"),
)
DESERTS = (
    entry("golden dunes", land.dunes, "4aa0e8 e8f0e0", "f0bf6a", "b87a3a", "fff6d0"),
    entry("crimson dunes", land.dunes, "3a0f2a a8324a f2784a", "c8442e", "6a1626", "ffc86a"),
    entry("moonlit dunes", land.dunes, "070b24 1c2a5a 3a5088", "5a78a8", "1c2a52", "e8f0ff"),
    entry("red mesas", land.mesas, "58b8e8 f8e0b8", "d8643a b8482a e88a50 983820 f0a868", "d89058"),
    entry("pyramids", land.pyramids, "f8b860 ffe8b0", "e8c078", "d89a48", "fff8d8"),
)
SNOW_AND_FIRE = (
    entry("snowfall on firs", land.snowfield, "8aa8c8 e0ecf8", "ffffff", "a8c4e8", "2a5a4a"),
    entry("pink winter dawn", land.snowfield, "f0788a ffd0b0", "fff0ec", "c890c0", "6a3a5a", 60),
    entry("eruption at night", land.volcano, "120818 3a1424 7a2418", "3a2a30", "ff6a1a", "4a3a44"),
    entry("jungle falls", land.waterfall, "a8e0f0 e8fff0", "5a6a58", "6ac8d8", "3a9a3a"),
    entry("icebergs under a red sky", waters.icebergs, "5a1a4a e0607a ffc8a0", "6a2a5a 1c0f2e", "ffe0dc", "b05a9a"),
)
SEAS = (
    entry("noon sea", waters.sea, "2a90f0 c0e8ff", "2aa0d8 0a4a98", "fffbe0", ships=2),
    entry("steel sea", waters.sea, "5a6470 b8c0c8", "6a7a88 222c38", "e8ecf0", horizon=62),
    entry("golden sea", waters.sea, "e86a2a ffd88a", "d88a3a 5a2a2a", "fff3c0", "ffe0b0", 66, 3),
    entry("coral reef", waters.underwater, "3ac8e8 0a5aa8 08346a", "ff6a6a ffb03a e84ab0", "ffd83a ff7a2a 8af0ff"),
    entry("midnight", waters.underwater, "0a2a5a 061436 030818", "5a3af0 a83af0 2af0d8", "4af0ff f04ad8", "143a5a", "1c2a4a"),
    entry("rose tide", waters.underwater, "ffb8c8 c85a90 5a1c58", "ffe0a0 ff8a5a ffffff", "ffe86a 8affd8", "8a2a6a", "f0b8a8"),
    entry("sunlit pool", waters.pool_surface, "3ad0f0 1aa8e0", "f4ffff"),
)
CAVES = (
    entry("amethyst cave", waters.cave, "1a0f2e 3a2058 5a3080", "4a3468", "b04aff ff6af0 6a8aff"),
    entry("lava cave", waters.cave, "3a0c08 8a2a10 e8601a", "4a2c26", lava=True),
    entry("ice cave", waters.cave, "d8f4ff 9ad8f4 5aa8d8", "6aa8d0", "1a6ad8 4ac8f0 2a90e8"),
    entry("glow-worm grotto", waters.cave, "04141c 0a2a34 0f4a50", "1c3a3c", pool="1aa0a0", glowworms="8affc8 d8fff0 5ae8ff"),
    entry("emerald mine", waters.cave, "1c1408 3a2c14 4a3a1c", "5a4630", "2af07a a8ff5a ffd23a"),
)
SKIES = (
    entry("blue sky, white cloud", skies.cumulus, "1f7ae0 8ac8ff", "ffffff", "b8d4f0"),
    entry("mint cumulus", skies.cumulus, "7ae0c8 e8fff0", "ffffff", "a0dcd0", 5, 1.5),
    entry("thunderheads", skies.clouds, "3a4a60 8a98a8", "d8dce0", "3a4250", 0.62),
    entry("mackerel sky", skies.clouds, "2a68c0 a8d0f0", "ffffff", "c0d4e8", 0.5, (9, 13)),
    entry("burning sky", skies.clouds, "7a1030 f04a20 ffc040", "ffe890", "8a1c30", 0.5, (2, 9)),
    entry("toxic haze", skies.clouds, "4a5a0a a8c020 e8f080", "f4ffa0", "5a6a14", 0.55, (4, 4)),
    entry("orange sunset over water", skies.sunset, "3a2a6a e0586a ffb04a", "fff0a0", "5a2a4a", "ff8a5a"),
    entry("crimson sunset hills", skies.sunset, "2a0a2a b01c3a ff7a2a", "ffd84a", "2a0c1c", "e0403a", 66, 18, False),
    entry("pastel dawn lake", skies.sunset, "8ab8e8 f0d0e0 fff0d0", "ffffff", "8aa0c0", "ffc0d0", 60),
    entry("savanna sundown", skies.sunset, "e88a1a ffc83a fff0a0", "ff5a2a", "5a3a10", "e06a1a", 70, 22, False),
    entry("harvest moon", skies.moonlight, "1a1030 4a2a4a 8a4a3a", "ffc86a", "140c14", 19),
    entry("green aurora", skies.aurora, "020818 0a2030 143a48", "1af08a 3ae8c8 8a4af0", "020c10"),
    entry("red aurora", skies.aurora, "0c0414 200a28 401438", "f02a5a c83af0 ff8a3a", "0a0408"),
    entry("lightning", skies.storm, "14182a 3a4060", "8a90b0", "1c2034", "e8f0ff"),
    entry("rainbow", skies.rainbow, "4a9ae8 d0ecff", "ffffff", "c8d8e8", "4aa840"),
    entry("balloons by day", skies.balloons, "3aa0f0 d8f4ff", "ffffff", "c8dcf0", "f0483a ffd23a 3a6af0 ffffff 3ac86a"),
    entry("fireworks", skies.fireworks, "06061c 141436 2a1c4a", "ff4a6a ffd23a 4ae8ff 8aff5a e86aff", "08080f"),
)
SPACE = (
    entry("rose nebula", space.nebula, "080414 140828", "e83a8a 5a3af0 ff8a4a"),
    entry("emerald nebula", space.nebula, "020c0c 041a1c", "1ac878 2a8ae8 c8f03a"),
    entry("ringed giant", space.planet, "05051a 101034", "e8c890 c89858 fff0c8", 58, 62, 30, 9, "e8d8b8"),
    entry("blue world", space.planet, "01040c 081428", "0a3a9a 1a6ac8 3a9a4a f4fcff", 70, 60, 40),
    entry("scorched world", space.planet, "140404 2c0a08", "2a0c08 8a1c0c ff7a1a ffe07a", 44, 78, 46, moons=2),
    entry("ice giant", space.planet, "041018 0a2a34", "2ab8c8 8af0e8 e8ffff", 76, 50, 26, 14, "6ad8e0", 3),
    entry("spiral galaxy", space.galaxy, "03030f 0a0820", "fff0c8", "5a8aff"),
    entry("asteroid belt", space.asteroids, "06060c 1a1620", "a8947c"),
    entry("on the moon", space.moonscape, "000004 06060e", "b8b8c0", "1a4aa8 2a7ad8 f4f8ff 3a8a4a"),
)
WOODS = (
    entry("misty pines", woods.pines, "c8dce0 eef4f0", "9ab8b8 6a9490 3f6a64 1c423e"),
    entry("pines at sunset", woods.pines, "5a2a6a e86a5a ffd08a", "b05a6a 7a3a5a 4a2448 200f28", "fff0a8"),
    entry("snowy pines at night", woods.pines, "060c28 1c3468", "3a5a90 284878 183458 0a1c34", "f0f4ff", "e8f4ff", True),
    entry("deep green wood", woods.trunks, "d8f08a 7ab84a 2a5a2a", "6a8a4a 4a5a34 2e2a1c", "1c4a1c 4a9a2c a8d84a", "3a5a24"),
    entry("birch wood", woods.trunks, "fff4d0 f0d890", "e8e0d0 f4f0e8 fcfaf4", "c8781a f0b02a ffe06a", "b8803a", 0.2, True),
    entry("haunted wood", woods.trunks, "8a9ac8 3a4878", "4a5484 282e54 0c0e1c", "0a0c18 1c2438 34405a", "141a2c", 0.15),
    entry("summer park", woods.crowns, "6ac0f8 e0f4ff", "4aa83a 6ac04a 3a8a3a", "6a4a2a", "8ac84a"),
    entry("autumn park", woods.crowns, "c8d8e0 f8f0e0", "e8502a f0902a d8302a f8c83a", "4a3020", "c8a050", True),
    entry("cherry blossom", woods.crowns, "8ad0f0 fce8f0", "ffa8c8 ff8ab8 ffd0e0", "5a3a3a", "9ad08a", True),
    entry("bamboo grove", woods.bamboo, "e8f8c0 a8d87a", "a8c86a 7aa83a 4a8424", "2f7a24"),
    entry("palm beach", woods.palms, "2ab0f0 c8f4ff", "fff8d0", "3ae0d8 1a90c8", "f8e0a8", "2a8a3a", "8a5a30"),
    entry("palms at dusk", woods.palms, "3a1a6a e03a8a ffa05a", "ffe86a", "c84a8a 3a1c5a", "8a4a6a", "140a20", "140a20"),
    entry("mushroom glade", woods.mushrooms, "1c3a4a 2a5a5a 6aa088", "e8382e f07a3a e8382e", "f4e8d0", "3a6a3a", "f8ffa0"),
    entry("neon mushrooms", woods.mushrooms, "0c0620 2a0f4a 4a1c6a", "2af0e8 f03ad8 8a5aff", "b8a0e8", "3a2068", "a8ffff"),
)
TOWNS = (
    entry("city at noon", towns.skyline, "5ab0f0 e0f2ff", "a8b8c8 8a90a0 c88a6a", "d8f0ff 8ac0e8", 0.75, "fffbe0"),
    entry(
        "city at night", towns.skyline, "060a20 1c2450 3a3a6a", "1c2440 141a30 0a0e1c", "ffd86a fff0b0 8ad0ff", 0.4, "", True
    ),
    entry(
        "neon city",
        towns.skyline,
        "14062c 4a0f5a a81c6a",
        "341450 220c3a 120620",
        "ff3ad8 3af0ff ffe03a",
        0.3,
        "",
        True,
        "ff2a9a 2af0ff f8f03a",
    ),
    entry("city at dusk", towns.skyline, "3a2a6a d85a6a ffc07a", "7a4a70 4a2c54 241430", "ffe08a ffb04a", 0.35, "fff0b0"),
    entry("foggy city", towns.skyline, "c8ccd0 e8eaec", "b0b4b8 8c9298 5c646c", "dcdfe2 a8adb2", 0.5),
    entry("village by day", towns.village, "4aa8f0 d8f0ff", "f4e8d0 e8c8a0 d8e0e8", "c8482e a83a2a 4a6a9a", "6ab04a", "5a8ab8"),
    entry(
        "snowed-in village", towns.village, "0a1434 24407a", "8a5a3a 6a4430 a8907a", "8a2a2a", "c8d8f0", "ffd04a", True, True
    ),
    entry("castle by moonlight", towns.castle, "0a0c2c 2a2a60 5a4a8a", "5a5a78", "f8f0d0", "1c1a34", "8a2a4a"),
    entry("castle by day", towns.castle, "58b0f0 e8f4ff", "c8bca8", "fff8d8", "5a8a3a", "2a5ac8", "4a3a34", False),
    entry("marble temple", towns.temple, "3a9ae8 d8f0ff", "f4efe4", "d8c8a8"),
    entry("temple at nightfall", towns.temple, "2a1c5a a84a8a", "b89ac8", "6a4a7a", 4),
    entry("factory", towns.factory, "c89a6a f0d8a0", "8a4a3a 6a4a44 8a8a8a", "5a4e48", "ffd88a"),
)
ROOMS = (
    entry("torch-lit dungeon", rooms.dungeon, "8a8a94", "2a2a30", "ff8a2a", "5a8a3a"),
    entry("library", rooms.library, "7a4a24", "a82a2a 2a4a8a 2a6a3a c89a3a 6a2a6a d8d0c0", "ffc86a"),
    entry("cathedral glass", rooms.stained_glass, "e02a3a 2a4ae8 ffc81a 1aa85a 8a2ac8 2ac8e8", "101018"),
    entry("space station", rooms.station, "8a94a4", "3ac8ff ff5a3a ffd83a 8a9098", "02040c 0a1430", "3aff8a ffb83a 3ac8ff"),
    entry("neon grid", rooms.grid_sunset, "14052e 5a0f6a f0408a", "fff05a ff8a3a ff2a8a", "3af0ff", "12062a"),
    entry("picture gallery", rooms.parquet_hall, "2a6a5a", "348070", "9a6234", "d8a83a", "e8d8b0 c8483a 2a4a8a f0b83a"),
    entry("theatre curtain", rooms.curtain, "c01c2c", "f0c040"),
)
MATERIALS = (
    entry("pastel cells", textures.voronoi, "ffadad ffd6a5 caffbf 9bf6ff bdb2ff", "ffffff", 50),
    entry("giraffe cells", textures.voronoi, "b86a2a a05820 c87a38", "f8e8c0", 36, 3.5, 0.2),
    entry("scaly cells", textures.voronoi, "0f6a4a 1a8a5a 2aa86a 0a4a3a", "04241c", 150, 0.8, 0.9),
    entry("cooling lava", textures.cracks, "2c2224", "ff4a0a", "ffe86a"),
    entry("blue fissures", textures.cracks, "1c2a4a", "1a8aff", "d8f8ff", 20),
    entry("oil slick", textures.plasma, "1a0f4a c82a8a f8b03a 2ac8a8 1a4ac8", 60, 2.0),
    entry("candy swirl", textures.plasma, "ff5a8a ffffff 5ad8ff fff07a", 50, 2.0),
    entry("white marble", textures.marble, "f8f6f2 e0dcd8 8a8890"),
    entry("oak planks", textures.planks, "8a5428 b87a40 d89a58", "3a2010"),
    entry("red bricks", textures.bricks, "8a2e20 b8452e c85a3c", "d0c4b4"),
    entry("white tiles", textures.bricks, "f0f4f4 ffffff", "6a8a98", 32, 16, 0.05),
    entry("cobblestones", textures.cobbles, "5a5a60 7a7a80 9a948a 6a707a", "22222a"),
    entry("rusty plates", textures.metal, "6a7c8c", "a84a1c", "c8d0d8"),
    entry("circuit board", textures.circuit, "0a5a34", "4ad88a", "f0c83a"),
    entry("leopard", textures.hide, "e8b058 a8641c 2a160a", "leopard"),
    entry("camouflage", textures.hide, "5a6a3a 3a4a24 8a8050 1c2416", "camouflage"),
    entry("tartan", textures.fabric, "a81c24", "0f2a5a 0f5a34 f0d84a f8f8f0"),
    entry("relief map", textures.contours, "2a6ab0 6ab0d8 a8d08a d8d890 c89a5a a0683a f8f8f8", "3a3a3a"),
    entry("hedge in flower", textures.foliage, "2f7a2a 4aa03a 6ac04a", "0c2a10", "ff5aa0 ffffff ffb03a"),
    entry("painted strata", textures.clay, "e8a878 c8583a f0d8b0 8a3a3a d88a5a"),
)
GEOMETRY = (
    entry("circus stripes", patterns.stripes, "e82a3a fff4e0", 8),
    entry("rainbow diagonals", patterns.stripes, "e8303a f8902a f8e03a 3ab84a 2a7ae8 8a3ac8", 2, 1.0, 6.0, True),
    entry("black and white checks", patterns.checks, "101010 f4f4f4", 16),
    entry("harlequin checks", patterns.checks, "f03a6a 3ac8f0 ffd83a 5a3ac8", 16, 0.12, True),
    entry("seigaiha waves", patterns.waves, "f4f8ff 1a3a7a f4f8ff 1a3a7a f4f8ff 1a3a7a"),
    entry("honeycomb", patterns.hexagons, "f8a81a ffd04a e88a0a", "6a3a08"),
    entry("reactor cells", patterns.hexagons, "0c1828 14304a 1ae8c8", "04080f", 10, 0.3),
    entry("polka dots", patterns.dots, "ffd8e4", "f0487a 8a4af0 3ab8f0"),
    entry("copper loops", patterns.truchet, "0f3a4a", "e08a4a", "ffe0b0"),
    entry("arcade maze", patterns.maze, "2a4aff", "04040f", "ffe0a0"),
    entry("low-poly dusk", patterns.triangles, "1a1a4a 6a2a7a e0507a ffb06a fff0c0"),
    entry("target rings", patterns.rings, "f4f0e0 e84a3a 1c3a5a f4b83a", 4, 7.0),
    entry("bath mosaic", patterns.mosaic, "0a4a8a 1a7ac0 3ab0e0 a0e8f0 ffffff", "e8f4f8"),
    entry("broken screen", patterns.glitch, "ff2a6a 2af0f0 f8f02a 8a2af0 ffffff", "14141c"),
    entry("argyle", patterns.argyle, "2a3a5a 8a2a3a c8b890 2a3a5a", "f4f0e0"),
    entry("comic sunburst", patterns.sunburst, "ffe03a ff9a1a", 32, 64, 118),
)
SUBJECTS = (SKIES, MOUNTAINS, MATERIALS, SPACE, TOWNS, GEOMETRY, WOODS, CAVES, SEAS, DESERTS, ROOMS, COUNTRY, SNOW_AND_FIRE)


def _dealt() -> tuple[Entry, ...]:
    """All entries, each subject spread evenly over the whole; the first of every subject come first."""
    placed = [(place / len(subject), entry) for subject in SUBJECTS for place, entry in enumerate(subject)]
    return tuple(entry for _, entry in sorted(placed, key=lambda pair: pair[0]))


CATALOGUE = _dealt()
