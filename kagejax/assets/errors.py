"""What goes wrong with pictures and sprites, said so that a person can put it right."""


class AssetError(ValueError):
    """A picture, a skin or a folder of them cannot be used. The message names the path and says what is allowed."""
