"""The version of this package, for the build and for the `User-Agent` header."""

__version__ = "0.1.0"
