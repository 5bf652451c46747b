"""A reference list as it is pasted from a paper → what each entry may name."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

from common.names import PARTICLE
from common.text import whole_words
from indexer.identity.cited_names import AND, AUTHORS, YEAR
from indexer.identity.identifiers import OF_ARTICLE
from indexer.identity.keys import paper_from_text
from indexer.identity.titles import is_distinctive, title_key
from indexer.paper import Paper

MAX_REFERENCES = 500
_LONGEST = 1_000  # characters of one entry that are looked at
_FEWEST_WORDS = 3  # of a title that is part of an entry
_MOST_READINGS = 20

# A number, a label, or names and a year, as "[Doe et al., 2019]".
_MARK = re.compile(rf"^\s*(?:\[(?:[\w+]{{1,14}}|(?=[^\W\d_])[^\[\]]{{2,80}}, {YEAR}[a-z]?)\]\s*|\(?\d{{1,3}}[.)]\s+)")
_LABEL = re.compile(r"\s*\[([^\W\d_][\w+]{0,13})\]")
# "Ibid., 14.", "Vgl. ebd., S. 3", "See id. at 1", "Roe, op. cit., 20", "Roe, supra note 3", which name one again.
_AGAIN = re.compile(
    r"\W*(?:(?:but|see|also|cf|accord|e\.g|vgl|siehe|voir)\b[\s.,]*)*(?:(?:ibid(?:em)?|ebd|ebenda|id(?=\.))\b"
    r"|(?P<name>[^\W\d_][^;,]{0,60}),? (?:(?:(?:op|loc|art)\. ?cit|a\. ?a\. ?O)\.|supra note\b))[^;]{0,60}",
    re.IGNORECASE,
)
_DOI = re.compile(rf"10\.\d{{4,9}}/[^\s\"<>]+(?:{OF_ARTICLE}|[^\s\"<>.,;)\]])", re.ASCII | re.IGNORECASE)
ADDRESS = re.compile(r"(?:https?://|doi:|10\.\d{4,9}/)\S+", re.IGNORECASE)
# Where an entry begins so, its authors are those of the one above: "———.", "—,", "--- and Roe, A."; no mark of an item.
# Of a dash that is drawn, as biblatex-chicago does, a PDF's text has nothing but the stop behind it: ". 1973. Title".
SAME_AUTHORS = re.compile(
    rf"\s*(?:[—–―_-]{{1,10}}(?=\s*[.,:;(\d])|[—–―_-]{{3,10}}|[—–―_]{{2}}|(?=\.\s+{YEAR}[a-z]?\.))"
)
_YEAR = re.compile(rf"(?<![\d/.:–-]){YEAR}(?=[a-z]?(?![\w–-]))")
_YEAR_IN_BRACKETS = re.compile(rf"\({_YEAR.pattern}")
# Dates that count where there is no other: "Epub 2014 Dec 8.", "[cited 2018 Feb 12]", "Accessed February 12, 2018."
_OTHER_DATE = re.compile(
    r"\b(?:epub|accessed|cited|retrieved|updated|zugriff|abgerufen)\b[^.;)\]]{0,30}", re.IGNORECASE
)
_ARXIV = re.compile(r"\b\d{4}\.\d{4,5}\b")
# Single quotation marks are apostrophes as well: they end what is quoted where none of its words goes on.
_QUOTED = re.compile(
    r"“([^“”]{10,500})”|[“\"«„»]([^”\"»“«]{10,500})[”\"»“«]|(?<!\w)[‘'](.{10,500}?)(?:(?<=[.,?!])[’']|[’'](?=[.,;:)]|\s*(?:[(\[]|$)|\s+[A-Z]))"
    r"|[《「『〈]([^》」』〉]{4,500})[》」』〉]"
    r"|(?<!\S)\[([^\[\]]{10,500})\](?=[.,])"  # a translated title, as PubMed and Vancouver style write it
)
# Behind a title: "[letter]", "[Internet]", "[Doctoral dissertation, …]", or what it means in another language; and
# "(2nd ed.)", which names no volume.
_BEHIND_TITLE = re.compile(
    r"(?<=[^\s.,;:]) (?:\[[^\[\]]{3,500}\]"
    r"|\((?![^()]*\bVol)(?=[^()]*(?:\d|[Rr]ev))[^()]{1,30}\b[Ee]d(?:n|ition)?\b[^()]{0,30}\))(?=[.,])"
)
# A single letter, or two such as "Ch.", is an initial.
_STOP = r"(?<=[A-Z])\.:\s+|(?:(?<=[\w)!?”’\"'+#]{2})(?<!\b[A-Z][a-z])|(?<=\w-\d)|(?<=\d\.\d))"
_LAST = rf"(?<=[^\W_]{{2}})(?:,\s+(?=In\b|in(?:: | [‘“\"'«])|\w+ edn?\b)|;\s+(?={YEAR}\b(?! [a-z])))|\s+//?\s+"
_SENTENCE_END = re.compile(rf"{_STOP}[.?!]\s+|\)[.,:]?\s+|{_LAST}")
# The same where a title may go on behind a question, "vs." or "spp.", and behind brackets that hold no year.
_FULL_STOP = re.compile(rf"{_STOP}(?<!\bvs)(?<!\bspp)\.\s+|(?:(?<=\({YEAR}\))|(?<=\({YEAR}[a-z]\)))[.,:]?\s+|{_LAST}")
# Behind a word it may also end a title, as in "programming in C." and "Part 2.", and two may be a name: "Xin Li.".
_OR_BEHIND_A_LETTER = re.compile(rf"{_SENTENCE_END.pattern}|(?:(?<=[^\W\d_]{{2}} [^\W_])|(?<= [A-Z][a-z]))[.?!]\s+")
# Authors whose list ends unlike a sentence: "Devlin J, Lee K, et al. " of medicine, "Jacob Devlin, K Lee: " of dblp.
_AUTHORS = re.compile(
    r"(?:[^\W\d_][^\s,.:;]*(?: [^\s,.:;]+){0,3} [A-Z]{1,3}(?:, (?=[^\W\d_])|(?:,? et al)?\. ))+|"
    r"[^:.,]*,(?:[^:.]|(?<=\b\w)\.)*: "
)
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_INITIALS = rf"(?:{_CAPITAL}[a-z]?\.[ -]?){{1,4}}"
_SURNAME = (
    rf"(?:(?:{PARTICLE.pattern}) |[dlDL]['’]|[ae]l-)*"
    rf"{_CAPITAL}[^\W\d_]*(?:['’-][^\W\d_]+)*(?: (?:(?:{PARTICLE.pattern}|e) ){{0,2}}{_CAPITAL}[^\W\d_]+)?"
)
# "J. Roe, A. van der Doe" of Elsevier and APS, "Roe, J. & van der Doe, A." of Nature and Harvard, "Roe J., Doe A.".
_NAME = rf"(?:{_INITIALS} ?{_SURNAME}|{_SURNAME},? {_INITIALS})"
_NAMES = re.compile(
    rf"{_NAME}(?:(?:,? ?(?:and|&|und|et|[eiy]) |[,;] ?|(?<=\. ))(?!and |& |et al){_NAME})*"
    rf"(?:,? (?:et al|and others)\.?)?[.,:;]* ?(?:\(?{YEAR}[a-z]?\)?[.,:;]* )?"
)
# Signs of Chinese and Japanese prints, as elsewhere: "李四．题目。", also behind a word "李四.题目".
_WIDE = str.maketrans({"。": ". ", "．": ". ", "，": ", ", "：": ": ", "（": "(", "）": ")", "［": "[", "］": "]"})
_UNSPACED = re.compile(r"(?<=[\u3040-\u9fff])\.(?=[\u3040-\u9fff])")
_KIND = re.compile(r" ?\[[A-Z]{1,2}(?:/[A-Z]{2})?\](?: ?//)?")  # what an entry of GB/T 7714 is: [J], [C]//, [EB/OL]
# Where commas part what stands in an entry, the part that holds the volume: "Acta 65 (2) (2006) 1-9", "Acta 65", "65".
_VOLUME = re.compile(r"(?:^|.* )\d+(?: ?\(|$)")
# What may be people in it, but for initials: " Richard Roe", " and Ann Doe"; compiled when used, which takes 20 ms.
_FULL_NAMES = rf"(?:(?:{AND}|\s){AUTHORS}(?: (?:{PARTICLE.pattern}))?)?"
_NEXT_NAME = re.compile(rf";|{AND}")
_BETWEEN_NAMES = re.compile(r"\s*[/;]\s*")
# What stands beside people or a title: "(Hg.)", "(Paris: Gallimard, 1975)", "(= stw 184)".
_BRACKETS = re.compile(r" ?\(([^()]*)\)")
_ASIDE = re.compile(rf"=|(?:Hrsg|Hg|[EeÉé]ds?|[Dd]irs?|[Cc]oords?)\.?$|.*\b{YEAR}", re.DOTALL)
_INITIAL = re.compile(r"[ -]?\b[^\W\d_]\.")
# With pages, an entry names a paper in such a volume.
_PAGES = re.compile(r"\b(?:pages|pp?\.?) ?\d+[–-]")
_PROCEEDINGS = re.compile(r"Proc(?:eedings|\.)")
_DIGIT = re.compile(r"\d")  # of years, volumes and pages
_BLANK = re.compile(r"\n\s*\n")
_ENDS = (".", ";")  # of an entry


def entries(text: str) -> list[str]:
    """The entries of a pasted list, each on one line and without its mark, such as "[3]", "3." or "[Doe20]"."""
    found = dict.fromkeys(map(unmarked, marked_entries(text)))
    return [entry for entry in found if entry and not is_named_again(entry)][:MAX_REFERENCES]


def marked_entries(text: str) -> list[str]:
    """The same with their marks, and as often as they stand there.

    Entries begin with their mark where most lines do not, are separated by blank lines, or stand on a line each.
    """
    text = whole_words(text.replace("\r\n", "\n"))
    lines = [line for line in text.splitlines() if line.strip()]
    if sum(map(is_marked, lines)) > 1 and is_marked(lines[0]):
        joined: list[list[str]] = []
        for line in lines:
            # Of another kind are pages at the end of an entry, "12. doi: …", and "[Online]".
            if is_marked(line) and _opens(line) == _opens(lines[0]):
                joined.append([line])
            else:
                joined[-1].append(line)
        return list(map(" ".join, joined))
    blocks = re.split(r"\n\s*\n", text.strip())
    return blocks if len(blocks) > 1 else lines


def entries_beside_ids(text: str) -> list[str]:
    """The lines of a text in which ids, titles and printed references stand, each reference on one line.

    It goes on below its mark, but neither beyond a blank line nor with a lone word after its end, which is an id; and
    a block of lines is one where it has a single year. Otherwise each line stands for itself, as titles do.
    """
    found: list[list[str]] = []  # the lines of each
    blocks = [block.splitlines() for block in _BLANK.split(whole_words(text.replace("\r\n", "\n")).strip())]
    listed = sum(is_marked(line) for block in blocks for line in block) > 1
    for block in blocks:
        if listed and is_marked(block[0]):
            for line in block:
                ended = found and found[-1][-1].rstrip().endswith(_ENDS)
                is_id = ended and len(line.split()) == 1 and not line.rstrip().endswith(_ENDS)
                if line is block[0] or is_marked(line) or is_id:
                    found.append([line])
                elif line.strip():
                    found[-1].append(line)
        elif len(blocks) > 1 and sum(year_of(line) is not None for line in block) == 1:
            found.append(block)
        else:
            found += ([line] for line in block)
    return list(map(" ".join, found))


def is_named_again(entry: str) -> bool:
    """Whether an entry or a note only refers to one that stands before it."""
    return _AGAIN.fullmatch(entry) is not None and year_of(entry) is None


def named_again(sources: Sequence[str], place: int) -> int | None:
    """Where the one stands to which that at `place` only refers, as it may too: the last, or the last of its name."""
    if not is_named_again(sources[place]):
        return None
    found = _AGAIN.match(sources[place])
    names = re.findall(r"\b[^\W\d_a-z][^\W\d_]{2,}", (found and found["name"]) or "")
    before = range(place - 1, -1, -1)
    return next((one for one in before if all(re.search(rf"\b{name}\b", sources[one]) for name in names)), None)


def is_marked(line: str) -> bool:
    """Whether a line begins with the mark of an entry, such as "[3]", "3." or "[Doe20]"."""
    return _MARK.match(line) is not None


def _opens(line: str) -> str:
    """The bracket with which a mark begins, if any."""
    return line.lstrip()[0].strip("0123456789")


def label_of(entry: str) -> str:
    """What an entry is called by its mark, such as "Doe20"; "" where it has a number or no mark."""
    found = _LABEL.match(entry)
    return found[1] if found else ""


def unmarked(entry: str) -> str:
    """The entry on one line and without its mark."""
    return " ".join(_MARK.sub("", entry).split())[:_LONGEST]


def year_of(entry: str) -> int | None:
    """The year of a printed entry: the first in brackets, else the last that is no part of a number or an address."""
    found = _YEAR_IN_BRACKETS.search(entry)
    text = ADDRESS.sub(" ", entry)
    years = [found[0][1:]] if found else _YEAR.findall(_OTHER_DATE.sub(" ", text)) or _YEAR.findall(text)
    return int(years[-1]) if years else None


def readings(entry: str) -> tuple[Paper, ...]:
    """What an entry may name, the likeliest first: by an identifier in it, all of it, or a part as the title.

    Where it begins like one with a mark, it is read with and without: "[Re]" may be part of a title.
    """
    unlabelled = _readings(unmarked(entry)) if is_marked(entry) else ()
    return tuple(dict.fromkeys((*_readings(entry), *unlabelled)))


def _readings(entry: str) -> tuple[Paper, ...]:
    entry = " ".join(entry.split())  # patterns take long for many blanks
    ids = [match[0] for pattern in (_DOI, _ARXIV) if (match := pattern.search(entry))]
    # Without the entry's text as a title, which could not be the paper's.
    found = [*(replace(paper_from_text(one), title="") for one in ids), paper_from_text(entry)]
    year = year_of(entry)
    entry = _UNSPACED.sub(". ", _KIND.sub("", entry.translate(_WIDE)))
    known = {entry, *(paper.title for paper in found)}
    titles, placed = _titles(entry, year)
    for title in titles:
        if title in known or _is_volume(title, entry):
            continue
        is_short = title in placed and not is_distinctive(title_key(title)) and str(year) not in title
        if is_short and (start := entry.find(title)) > 0:
            found.append(Paper(id="", title=title, year=year, authors=(_NEXT_NAME.split(entry[:start], 1)[0],)))
        if _may_be_title(title):
            found.append(Paper(id="", title=title))
    return tuple(found[:_MOST_READINGS])


def _titles(entry: str, year: int | None) -> tuple[list[str], set[str]]:
    """What may be the title of an entry, the likeliest first; and what of it is a title, however short."""
    quoted = [match[match.lastindex or 0].strip(" .,") for match in _QUOTED.finditer(entry)]
    names = _NAMES.match(entry)
    after = [entry[match.end() :] for match in (_AUTHORS.match(entry), names) if match]
    texts = dict.fromkeys((entry, *after, *(_BEHIND_TITLE.sub("", text) for text in (entry, *after))))
    sentences, shorter = ([_sentences(text, end) for text in texts] for end in (_SENTENCE_END, _OR_BEHIND_A_LETTER))
    longer = [_sentences(text, _FULL_STOP) for text in texts]
    before_volumes = (_before_volume(text.split(", ")) for text in after)
    titles = [*quoted, *chain(*sentences, *shorter, *longer, *before_volumes)]
    text = entry[names.end() :] if names else entry
    # Behind a year nobody is named, and commas may part what stands in the title, unless they end it, as Harvard's do.
    further = text.split(", ")[:1] if year else []
    if _YEAR.search(text):
        further = _behind_full_names(text, 0 if names else 1)
    # What stands right behind the authors is a title, however short, if they wrote it.
    placed = {*quoted, *further, *sentences[0][1:2], *(parts[0] for parts in sentences[1:])}
    further += _with_subtitles(sentences[0])
    # Titles are longer than names of authors and journals more often than not.
    longest_first = (sorted(dict.fromkeys(some), key=len, reverse=True) for some in (titles, further))
    return list(dict.fromkeys(chain(*longest_first))), placed


def _sentences(text: str, end: re.Pattern[str]) -> list[str]:
    return [part.strip(" .,") for part in end.split(text)]


def _is_volume(title: str, entry: str) -> bool:
    """Whether it names the proceedings that a paper is in; a report on them may be called so, in quotation marks."""
    if not _PROCEEDINGS.match(title) or not _PAGES.search(entry):
        return False
    return not re.search(rf"(?<!\b[Ii]n )(?<!\b[Ii]n: )[“\"‘']{re.escape(title)}", entry)


def _may_be_title(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS or is_distinctive(title_key(text))  # some scripts have no spaces


def _before_volume(parts: Sequence[str]) -> list[str]:
    """What may be the title where commas part title, journal and volume: all but the one or two parts of the others."""
    volume = next((place for place, part in enumerate(parts) if place and _VOLUME.match(part.rstrip("."))), 0)
    return [", ".join(parts[:end]) for end in (volume - 1, volume) if end > 0]


def _with_subtitles(parts: Sequence[str]) -> list[str]:
    """What may be a title and its subtitle, as in "Soziale Systeme. Grundriß einer allgemeinen Theorie. Frankfurt"."""
    return [f"{title}. {further}" for title, further in pairwise(parts) if not _DIGIT.search(title + further)]


def _behind_full_names(text: str, fewest: int) -> list[str]:
    """What may be the title where commas or a colon part it from authors.

    These are any words with capitals, the `fewest` parts at least. So are the entries of the AMS ("Ann Roe and Jo Doe,
    Of trees, Acta 3 (2001)"), of law reviews ("Ann Roe, Of Trees, 3 Acta 1 (2001)"), of German books ("Roe, Ann (Hg.):
    Über Bäume. Eine Rede, Bern 2001") and of notes ("Ann Roe, Of Trees (Oxford: Press, 2001), 3").
    """
    text = _BRACKETS.sub(lambda found: ", " if _ASIDE.match(found[1]) else found[0], text)
    parts = text.split(", ")
    titles_at = [place for place, part in enumerate(parts) if not _are_people(part)]
    read = [(next((place for place in titles_at if place >= least), least), parts) for least in {fewest, 1}]
    head, _, rest = text.partition(": ")
    if rest and all(map(_are_people, people := head.split(", "))):  # or it stands in the title: "Roe, Vienna: A City"
        read.insert(0, (len(people), [*people, *rest.split(", ")]))
    titles: list[str] = []
    for names, parts in read:
        sentences = _sentences(", ".join(parts[names:]), _SENTENCE_END)
        titles += [sentences[0], ". ".join(sentences[:2])]
        for start in dict.fromkeys((names, 1, min(2, names))):
            titles += [*parts[start : start + 1], *_before_volume(parts[start:])]
    return [title.strip(" .,") for title in titles]


def _are_people(part: str) -> bool:
    return all(re.fullmatch(_FULL_NAMES, _INITIAL.sub("", f" {one}")) for one in _BETWEEN_NAMES.split(part.strip()))
