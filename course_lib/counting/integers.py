"""Checks of the whole numbers that describe a model; called by every module of this package."""

import operator


def whole_number(name: str, value: object, least: int = 1) -> int:
    """The value as an int; anything that is not a whole number of at least `least` is refused.

    NumPy integers are welcome. Floats, strings and booleans are not: a width of 768.0 or True is a
    mistake somewhere else, and counting with it would hide that mistake.

    Raises TypeError for another type and ValueError for a number below `least`.
    """
    wanted = f"a whole number of at least {least}"
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        raise TypeError(f"{name} must be {wanted}, got the boolean {value}")
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # that it may fail is the point
    except TypeError:
        raise TypeError(
            f"{name} must be {wanted}, got {value!r} of type {type(value).__name__}"
        ) from None
    if number < least:
        raise ValueError(f"{name} must be {wanted}, got {number}")
    return number
