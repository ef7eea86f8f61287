"""Oracle of the nine shapes: which pixels of the screen a shape paints, every pixel tested by the formula."""

import numpy as np

f32 = np.float32
SHAPES = ("circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond")
STAR_INNER = f32(np.sin(np.radians(18)) / np.sin(np.radians(54)))


def painted(
    shape: str,
    height: int,
    width: int,
    centre: tuple[int, int],
    size: int,
    angle,
    ellipse: tuple[float, float] | None = None,
    diamond_height: float | None = None,
) -> np.ndarray:
    """bool [height, width]; `centre` is (x, y), `angle` in radians, `ellipse` its two radii.

    The defaults are those of a distractor: an ellipse of radii 0.5 and 0.3 sizes, a diamond twice as tall as wide.
    """
    rows, columns = np.mgrid[:height, :width]
    dx, dy = (columns - centre[0]).astype(np.float32), (rows - centre[1]).astype(np.float32)
    size, angle = f32(size), f32(angle)
    radius = size / f32(2)
    cosine, sine = np.cos(angle), np.sin(angle)
    u, v = dx * cosine - dy * sine, dx * sine + dy * cosine
    thin = max(f32(1), size / f32(8)) / f32(2)

    if shape == "square":
        return (abs(u) <= radius) & (abs(v) <= radius)
    if shape == "line":
        return (abs(u) <= radius) & (abs(v) <= thin)
    if shape == "cross":
        return ((abs(u) <= radius) & (abs(v) <= thin)) | ((abs(v) <= radius) & (abs(u) <= thin))
    if shape == "ellipse":
        across, along = (f32(r) for r in (ellipse or (f32(0.5) * size, f32(0.3) * size)))
        return (u / across) ** 2 + (v / along) ** 2 <= 1
    if shape == "diamond":
        return abs(u) / radius + abs(v) / f32(size if diamond_height is None else diamond_height) <= 1
    if shape in ("triangle", "polygon", "star"):
        corners = {"triangle": 3, "polygon": 6, "star": 10}[shape]
        radii = [radius * STAR_INNER if shape == "star" and k % 2 else radius for k in range(corners)]
        return inside(columns, rows, centre, radii, angle)
    return dx * dx + dy * dy <= radius * radius


def inside(columns: np.ndarray, rows: np.ndarray, centre: tuple[int, int], radii: list, angle) -> np.ndarray:
    """Even-odd test of pixel middles against a polygon, first corner straight up, then clockwise on screen."""
    corners = len(radii)
    turn = f32(-np.pi / 2) + angle + np.arange(corners, dtype=np.float32) * f32(2 * np.pi / corners)
    radii = np.array(radii, np.float32)
    x, y = f32(centre[0] + 0.5) + radii * np.cos(turn), f32(centre[1] + 0.5) + radii * np.sin(turn)
    px, py = columns.astype(np.float32) + f32(0.5), rows.astype(np.float32) + f32(0.5)
    odd = np.zeros(px.shape, bool)
    for k in range(corners):
        x0, y0, x1, y1 = x[k], y[k], x[(k + 1) % corners], y[(k + 1) % corners]
        rise = y1 - y0 if y1 != y0 else f32(1e-12)
        odd ^= ((y0 > py) != (y1 > py)) & (px < x0 + (py - y0) * (x1 - x0) / rise)
    return odd


def distractor(shape: str, height: int, width: int, centre: tuple[int, int], size: int, angle) -> np.ndarray:
    """As `painted`, cut to the 32x32 window whose corner is 16 pixels up and left of the centre."""
    x, y = centre
    if not (-16 < x < width + 16 and -16 < y < height + 16):
        return np.zeros((height, width), bool)
    rows, columns = np.mgrid[:height, :width]
    window = (abs(rows - y + 0.5) < 16) & (abs(columns - x + 0.5) < 16)
    return window & painted(shape, height, width, centre, size, angle)
