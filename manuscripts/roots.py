"""Which file of a folder is the manuscript."""

import posixpath
import re
from collections.abc import Iterable

from common.words import listed
from manuscripts import formats
from manuscripts.files import SETTINGS, Files

CLASS = re.compile(r"^[^%\n]*\\documentclass\s*(?:\[[^\]]*\])?\s*\{\s*([^{}\s]+)\s*\}", re.MULTILINE)
_INCLUDED = re.compile(
    r"^[^%\n]*\\(?:input|InputIfFileExists|include|subfile|(?:sub)?import\s*\{[^{}]*\})\s*\{([^{}]+)\}", re.MULTILINE
)
_CHAPTER = re.compile(r"^[ \t]*\\(?:chapter|section)\*?\s*\{", re.MULTILINE)
_TITLE = re.compile(r"\\\w*title\s*[\[{]", re.IGNORECASE)  # which figures, letters and highlights have none of
# As many editors have it, and Emacs.
_ROOT_NAMED = re.compile(
    r"^%\s*!\s*TEX\s+root\s*=\s*(\S[^\n]*?)[ \t\r]*$|^%+[ \t]*TeX-master:[ \t]*\"([^\"\n]+)\"",
    re.MULTILINE | re.IGNORECASE,
)
_TYPST_NAMED = re.compile(r"^[^/\n]*\b(?:include|import)\s+\"([^\"\n@]+\.typ)\"", re.MULTILINE)
_TYPST_DOCUMENT = re.compile(r"^#(?:show:|set document\(|bibliography\(|include )", re.MULTILINE)
_SHOWN = 3  # paths in a message
_PARTS = ("subfiles", "standalone")
_OTHER_CLASSES = ("beamer", "letter", "tikzposter")
_NO_PAPERS = ("_", "@")  # of Quarto, which includes them, and notes on a work, called by its key
_USUAL = re.compile(
    r"(?:main|paper|ms|manuscript|article|thesis|dissertation|root|draft|report|index)\d*", re.IGNORECASE
)
_EDGE = r"(?:(?<![^\W\d_])|(?![^\W\d_])|(?-i:(?<=[a-z])(?=[A-Z])))"  # of a word, also in "TreesSupp"
_OTHER = re.compile(  # but "Recovery", "Diffusion", "Posterior" and "A systematic review" are subjects
    rf"{_EDGE}(?:cover|poster|talk|todos?|checklist|(?:figures?|tables?|captions?|legends?)(?![-_ ]of\b)){_EDGE}|"
    rf"{_EDGE}form$|(?:(?<!land)slides|(?<!car)diff|suppl?s?){_EDGE}|{_EDGE}diff(?=v?\d)|(?:^|[-_ ])(?:si|esm)$|"
    r"cover[-_ ]?(?:page|note|sheet)|"
    r"^reviews?[-_ ]?(?:r?\d+)?$|review[-_ ](?:comments|reports?)|peer[-_ ]?review$|reviewer|referee|"
    r"response|rebuttal|reply|replies|letter|title[-_ ]?page|highlights|graphical[-_ ]?abstract|"
    r"supp(?:lem|l?[-_ ]?(?:inf|mat|data|text|fig|tab)|orting[-_ ]?(?:inf|mat|data|text|fig|tab))|"
    rf"appendi(?:x|ces?{_EDGE})|template|sample|example|notes|"
    r"changelog|readme|license|licence|contributing|instructions|code_of_conduct",
    re.IGNORECASE,
)
_BEGUN_IN = re.compile("template|sample|example", re.IGNORECASE)  # where many go on to write
_VERSION = re.compile(r"[-_ ]*(?:(?<![^\W\d_])v(?:ersion)?[-_ ]?(\d{1,3})|(?<![^\W\d_])final)(?=\.\w+$)", re.IGNORECASE)
_NEVER = frozenset(("readme", "license", "licence", "changelog", "contributing"))
_CITES = re.compile(r"\[[^\]\n]*@\w|^#\s", re.MULTILINE)


def root_of(files: Files) -> str | None:
    """The path of the manuscript's main file; None where there is no manuscript.

    Of several documents in LaTeX or Typst it is the one that the others name, or that is called as main files are, or
    that includes the most. A book of Quarto, bookdown or MyST has its first chapter.
    """
    return (
        _latex_root(files)
        or _book_root(files)
        or _noted(files, _typst_documents(files))
        or _markdown_root(files)
        or _noted(files, files.paths(*formats.WHOLE))
        or _noted(files, files.paths(formats.NOTEBOOK))
        or _noted(files, files.paths(*formats.TEX))
        or _noted(files, (*files.paths(*formats.MARKDOWN), *files.paths(formats.TEXT)))
    )


def root_named(text: str) -> str | None:
    """The path from its folder of the main file that a text in LaTeX says it is part of, or None."""
    if not (found := _ROOT_NAMED.search(text)):
        return None
    name = str(found[1] or found[2])
    return name if name.lower().endswith(formats.TEX) else f"{name}.tex"


def _latex_root(files: Files) -> str | None:
    every = list(files.paths(*formats.TEX))
    titled = (path for path in files.paths(*formats.WOVEN) if formats.has_title(files.text(path)))
    woven = {posixpath.splitext(path)[0] for path in (*files.paths(formats.SWEAVE), *titled)}
    texts = {
        path: files.text(path)
        for path in every
        if path.lower().endswith(formats.SWEAVE) or posixpath.splitext(path)[0] not in woven  # else made of the former
    }
    classes = {path: found[1] for path, text in texts.items() if (found := CLASS.search(text))}
    documents = [path for path, name in classes.items() if name not in _PARTS and "$body$" not in texts[path]]
    written = documents or [path for path, text in texts.items() if _CHAPTER.search(text)]
    if _papers(files) and all(is_called_other(path) and not _BEGUN_IN.search(_stem(path)) for path in written):
        return None  # what these take in, a template of Pandoc's, or a letter about them
    if not documents:
        return _best(path for path, text in texts.items() if formats.is_latex(text))
    named = [posixpath.basename(name) for text in texts.values() if (name := root_named(text))]
    included = {_stem(name) for text in texts.values() for name in _INCLUDED.findall(text)}

    def likeliness(path: str) -> tuple[int | bool, ...]:
        text, stem = texts[path], _stem(path)
        return (
            r"\begin{document}" in text,
            stem not in included,
            not is_called_other(path),
            classes[path] not in _OTHER_CLASSES,
            named.count(posixpath.basename(path)),
            is_called_main(path),
            -path.count("/"),
            len(_INCLUDED.findall(text)),
            _TITLE.search(text) is not None,
        )

    best = max(_last_first(files, documents), key=likeliness)
    return _noted(files, (path for path in documents if likeliness(path) == likeliness(best)), best)


def _typst_documents(files: Files) -> list[str]:
    if next(files.paths(*formats.WOVEN), None):  # of which they are templates
        return []
    texts = {path: files.text(path) for path in files.paths(*formats.TYPST)}
    named = {_stem(name) for text in texts.values() for name in _TYPST_NAMED.findall(text)}
    documents = [path for path in texts if _stem(path) not in named] or list(texts)
    likely = [path for path in documents if _TYPST_DOCUMENT.search(texts[path])]
    return likely or documents


def _book_root(files: Files) -> str | None:
    folders = {posixpath.dirname(path): None for path in files.paths(*SETTINGS, "_bookdown.yml")}
    if not folders:
        return None
    from manuscripts.markdown_project import book_at  # with YAML, which few manuscripts need

    papers = [*_papers(files), *(path for path in _typst_documents(files) if not is_called_other(path))]
    known = len(files.notes)
    for folder in folders:
        if not any(_is_beside(path, folder) for path in papers) and (book := book_at(files, folder)):
            return book.chapters[0]
        del files.notes[known:]  # of chapters in another markup, as documents of software have
    return None


def _papers(files: Files) -> list[str]:
    """In Markdown."""
    every = (path for path in files.paths(*formats.MARKDOWN) if not is_called_other(path))
    return [path for path in every if formats.is_markdown(files.text(path))]


def _is_beside(paper: str, folder: str) -> bool:
    """Whether a paper lies above the folder of a book, or is called as papers are in another.

    Then it is the manuscript, as in a package of software that has its documents in that folder.
    """
    within, around = (posixpath.join(one, "") for one in (folder, posixpath.dirname(paper)))
    return not paper.startswith(within) and (is_called_main(paper) or within.startswith(around))


def _markdown_root(files: Files) -> str | None:
    texts = {path: files.text(path) for path in files.paths(*formats.MARKDOWN)}
    documents = [
        path
        for path, text in texts.items()
        if not posixpath.basename(path).startswith(_NO_PAPERS) and (formats.has_title(text) or _CITES.search(text))
    ]
    titled = [path for path in documents if formats.has_title(texts[path])]
    if not (best := _best(titled or documents)):
        return None
    from manuscripts.markdown_project import book_at  # with YAML, which few manuscripts need

    book = book_at(files, posixpath.dirname(best))
    chapters = book.chapters if book and best in book.chapters else ()
    if book and chapters and not book.is_numbered:
        return chapters[0]
    best, *others = chapters or (best,)
    papers = [path for path in documents if path not in others and formats.is_markdown(texts[path])]
    likely = [path for path in papers if _stem(path) not in texts[best]]  # which is included there
    if chapters:
        return _noted(files, likely, best, f"{best} to {chapters[-1]} were read as chapters")
    return _noted(files, (*(titled or documents), *likely), best)


def _best(paths: Iterable[str]) -> str | None:
    """Called as manuscripts are, nearest to the top, and no PDF: beside a document it is rather what that cites."""
    best = max(paths, key=_likeliness, default=None)
    return best if best and not is_about_files(best) else None


def _noted(files: Files, paths: Iterable[str], best: str | None = None, read: str = "") -> str | None:
    """The best of the paths, of several the last version or the largest; noted where another is as good."""
    every = _last_first(files, paths)
    best = best or _best(every)
    if best is None:
        return None
    alike = (path for path in every if _ending(path) == _ending(best) and _likeliness(path) == _likeliness(best))
    if others := sorted({*alike} - {best}):
        read = read or f"{best} was read"
        files.note(f"{read}, though it may as well be {listed(others, _SHOWN)}: name the file that is meant")
    return best


def _likeliness(path: str) -> tuple[bool, bool, int, bool]:
    return (not is_called_other(path), is_called_main(path), -path.count("/"), _ending(path) != ".pdf")


def is_called_main(path: str) -> bool:
    """Whether a file is called as main files are."""
    return bool(_USUAL.fullmatch(_stem(path)))


def is_called_other(path: str) -> bool:
    """Whether a file is called as letters, supplements and others are that go with a manuscript."""
    return _OTHER.search(_stem(path)) is not None


def is_about_files(path: str) -> bool:
    """Whether a file is called as those that tell what lies beside them."""
    return _stem(path).lower() in _NEVER


def _last_first(files: Files, paths: Iterable[str]) -> list[str]:
    """The largest first, but versions of one text together, from the last on."""
    sizes = {path: len(files.contents.get(path, b"")) for path in sorted(paths)}
    versions = {path: _version(path) for path in sizes}
    largest: dict[str, int] = {}
    for path, (name, _) in versions.items():
        largest[name] = max(largest.get(name, 0), sizes[path])
    return sorted(sizes, key=lambda path: (-largest[versions[path][0]], -versions[path][1], -sizes[path]))


def _version(path: str) -> tuple[str, float]:
    """What a file and its other versions are called, and which version it is; each file without one stands alone."""
    found = _VERSION.search(path)
    return (path[: found.start()], float(found[1] or "inf")) if found else (path, 0.0)


def _ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
