"""Which texts does the running Python's standard library offer to search? Its documentation.

A fixed list of modules written in Python; their public functions, classes and properties; one
document each. Another Python version gives other texts, and so, rightly, another corpus.

This module needs nothing but the standard library, so that any interpreter can run it.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final

#: Words below which a documentation string says too little to be asked for.
MIN_WORDS: Final = 20

#: Each exists from CPython 3.11 to 3.14. ``ssl`` is not among them: builds without it exist.
MODULES: Final = tuple(
    """
    abc argparse ast asyncio.base_events asyncio.events asyncio.futures asyncio.locks
    asyncio.protocols asyncio.queues asyncio.runners asyncio.streams asyncio.subprocess
    asyncio.taskgroups asyncio.tasks asyncio.timeouts asyncio.transports base64 bdb bisect bz2
    cProfile calendar cmd code codecs codeop collections collections.abc colorsys compileall
    concurrent.futures._base concurrent.futures.process concurrent.futures.thread configparser
    contextlib copy copyreg csv dataclasses datetime decimal difflib dis doctest
    email._policybase email.charset email.contentmanager email.encoders email.feedparser
    email.generator email.header email.headerregistry email.iterators email.message
    email.mime.application email.mime.audio email.mime.base email.mime.image
    email.mime.multipart email.mime.text email.parser email.policy email.utils enum filecmp
    fileinput fnmatch fractions ftplib functools genericpath getopt getpass gettext glob graphlib
    gzip hashlib heapq hmac html html.parser http http.client http.cookiejar http.cookies
    http.server imaplib importlib importlib.abc importlib.machinery importlib.metadata
    importlib.resources importlib.util inspect io ipaddress json json.decoder json.encoder keyword
    linecache locale logging logging.config logging.handlers lzma mailbox mimetypes modulefinder
    multiprocessing.connection multiprocessing.context multiprocessing.managers
    multiprocessing.pool multiprocessing.process multiprocessing.queues multiprocessing.util netrc
    numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib
    poplib posixpath pprint profile pstats py_compile pyclbr pydoc queue quopri random re reprlib
    runpy sched secrets selectors shelve shlex shutil signal smtplib socket socketserver
    sqlite3.dbapi2 stat statistics string stringprep subprocess symtable sysconfig tarfile
    tempfile textwrap threading timeit token tokenize trace traceback tracemalloc types typing
    unittest.async_case unittest.case unittest.loader unittest.main unittest.mock unittest.result
    unittest.runner unittest.signals unittest.suite urllib.error urllib.parse urllib.request
    urllib.response urllib.robotparser uuid warnings wave weakref webbrowser wsgiref.handlers
    wsgiref.headers wsgiref.simple_server wsgiref.util wsgiref.validate xml.dom
    xml.dom.expatbuilder xml.dom.minidom xml.dom.pulldom xml.etree.ElementInclude
    xml.etree.ElementTree xml.sax.handler xml.sax.saxutils xml.sax.xmlreader xmlrpc.client
    xmlrpc.server zipapp zipfile zipimport zoneinfo
    """.split()  # noqa: SIM905 -- one word after the other reads better than 200 literals
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """Documentation strings of one Python.

    Attributes:
        python: its version, such as ``3.11.7``.
        texts: dotted name → text, in order of the names; no two texts are equal.
        left_out: modules that could not be imported, in the order of the list.
    """

    python: str
    texts: dict[str, str]
    left_out: tuple[str, ...]


def harvest(modules: Sequence[str] = MODULES) -> Harvest:
    """The documentation strings of public objects, of at least `MIN_WORDS` words each.

    Of several names with one text (an alias, a method written out twice) the first stands for
    all.

    Args:
        modules: dotted names of modules to import and read.
    """
    texts: dict[str, str] = {}
    left_out: list[str] = []
    for name in modules:
        module = _import(name)
        if module is None:
            left_out.append(name)
        else:
            texts.update(_documented(module))
    first: dict[str, str] = {}
    for name, text in sorted(texts.items()):
        first.setdefault(text, name)
    return Harvest(
        python=".".join(map(str, sys.version_info[:3])),
        texts={name: text for text, name in first.items()},
        left_out=tuple(left_out),
    )


def _import(name: str) -> ModuleType | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except Exception:  # noqa: BLE001 -- whatever a build lacks, the module is named as left out
            return None


def _documented(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Name and text of what a module documents itself."""
    yield from _long_enough(module.__name__, module.__doc__)
    yield from _members(module.__name__, "", vars(module))


def _members(
    module: str, owner: str, namespace: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """The documented public members of a module (no owner) or of one of its classes."""
    for name, member in sorted(namespace.items()):
        if name.startswith("_"):
            continue
        path = f"{owner}.{name}" if owner else name
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__  # noqa: PLW2901 -- the function behind it is the member
        if isinstance(member, property):
            yield from _long_enough(f"{module}.{path}", member.__doc__)
        elif inspect.isfunction(member) or inspect.isclass(member):
            yield from _defined(module, path, member)


def _defined(module: str, path: str, member: object) -> Iterator[tuple[str, str]]:
    """What a function, or a class with its members, documents, if this module defines it."""
    home = str(getattr(member, "__module__", None))
    if home != module and not home.startswith(f"{module}."):
        return
    if inspect.isfunction(member):
        yield from _long_enough(f"{module}.{path}", member.__doc__)
    elif inspect.isclass(member) and member.__qualname__ == path:  # an alias is not read again
        # A class without a text of its own must not repeat that of its base.
        yield from _long_enough(f"{module}.{path}", vars(member).get("__doc__"))
        yield from _members(module, path, vars(member))


def _long_enough(name: str, text: object) -> Iterator[tuple[str, str]]:
    if isinstance(text, str):
        clean = inspect.cleandoc(text)
        if len(clean.split()) >= MIN_WORDS:
            yield name, clean
