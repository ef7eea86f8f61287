"""What is said where an optional package is absent."""


def missing(name: str, extra: str) -> ImportError:
    """The error for a package that is not installed."""
    return ImportError(f"This needs {name}, which is not installed: pip install 'kagejax[{extra}]'")
