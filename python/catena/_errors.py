"""Exceptions, with the text that the command line shows."""


class Error(Exception):
    """The base of everything Catena raises on purpose."""


class InputError(Error, ValueError):
    """A file, a model, a table or an argument that a person can mend.

    The text is complete: place, problem, remedy. Its parts are file, line and column (counted from 1, 0 where unknown),
    problem and remedy.
    """

    file = ""
    line = 0
    column = 0
    problem = ""
    remedy = ""


class SizeError(Error, ValueError):
    """An array whose shape does not fit."""


class NumericalError(Error, ArithmeticError):
    """A result that does not exist: a singular matrix, a joint that carries no inertia, loops that do not close.

    result: what a simulation has computed up to there, else None.
    """

    result = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation.

    result: what it has computed up to there. In a notebook: import sys; sys.last_value.result
    """

    result = None
