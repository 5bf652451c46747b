r"""Numbers with units, as siunitx has them in LaTeX → text: \SI{5}{\kilo\metre} is 5 km."""

import re

_PREFIXES = """
quecto q ronto r yocto y zepto z atto a femto f pico p nano n micro µ milli m centi c deci d deca da deka da hecto h
kilo k mega M giga G tera T peta P exa E zetta Z yotta Y ronna R quetta Q
"""
_UNITS = """
metre m meter m gram g kilogram kg second s ampere A kelvin K mole mol candela cd hertz Hz newton N pascal Pa joule J
watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H lumen lm lux lx becquerel Bq gray Gy sievert Sv
katal kat radian rad steradian sr celsius °C degreeCelsius °C degree ° arcminute ′ arcsecond ″ minute min hour h day d
litre L liter L hectare ha tonne t dalton Da electronvolt eV astronomicalunit au angstrom Å bel B decibel dB neper Np
percent % byte B
"""
_POWERS = {"squared": "²", "cubed": "³", "square": "²", "cubic": "³"}
_TIGHT = ("%", "°", "′", "″")  # no space before these
_USED = re.compile(r"\\(?:SI|qty|num|ang|si|unit)")
_TOKEN = re.compile(r"\\([A-Za-z]+)\s*(?:\{([^{}]*)\})?|([^\\{}\s~]+)")


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _command(names: str, arguments: int) -> re.Pattern[str]:
    argument = r"\s{0,20}\{((?:[^{}]|\{[^{}]{0,100}\}){0,200})\}"
    return re.compile(rf"\\({names})\s{{0,20}}(?:\[[^\[\]]{{0,200}}\])?{argument * arguments}")


_PREFIX, _UNIT = _pairs(_PREFIXES), _pairs(_UNITS)
_COMMANDS = (
    _command("SIrange|qtyrange", 3),
    _command("SI|SIlist|qty|qtylist|numrange", 2),
    _command("num|numlist|ang|si|unit", 1),
)


def with_quantities(value: str) -> str:
    """LaTeX with its numbers and units as text; what is no known unit has its own name, such as 3 GeV or 2 parsec."""
    if _USED.search(value):
        for command in _COMMANDS:
            value = command.sub(_shown, value)
    return value


def _shown(found: re.Match[str]) -> str:
    name, *arguments = found.groups()
    if name in ("si", "unit"):
        return _unit(arguments[0])
    if name == "ang":
        return "".join(f"{part}{mark}" for part, mark in zip(arguments[0].split(";"), _TIGHT[1:], strict=False) if part)
    numbers, unit = (arguments, "") if name.startswith("num") else (arguments[:-1], _unit(arguments[-1]))
    number = "–".join(one.strip() for one in numbers).replace(";", ", ").replace("+-", "±")
    return f"{number}{'' if unit in _TIGHT else ' '}{unit}".strip()


def _unit(source: str) -> str:
    if "\\" not in source:  # m.s^{-1}
        return re.sub(r"[.~]", " ", re.sub(r"[{}]", "", source))
    text, power, prefixed = "", "", False
    for name, argument, literal in _TOKEN.findall(source):
        if name == "per":
            text += "/"
        elif name in ("square", "cubic"):
            power = _POWERS[name]
        elif name in _POWERS or name == "tothe":
            text += _POWERS.get(name, f"^{argument}")
        else:
            space = " " if text and not text.endswith("/") and not prefixed else ""
            prefixed = name in _PREFIX
            text += space + (_PREFIX.get(name) or _UNIT.get(name) or f"{name}{literal}")
            if not prefixed:
                text, power = text + power, ""
    return text
