"""Words that say nothing of what a paper is about: English ones, and function words of other languages."""

from collections import Counter
from collections.abc import Iterable
from functools import cache

# What abstracts of every field say. Each form by itself: a stem would take "news" for "new" and "generative" for
# "general".
_OF_ANY_PAPER = """
ability able according accordingly account accurate accurately achieve achieved achieves achieving across actual
actually additional additionally address addressed addresses addressing aim aimed aims allow allowed allowing allows
alone along already also although among analyse analysed analyses analysis analyze analyzed analyzing another appear
applied applies apply applying approach approaches appropriate article articles ask asked aspect aspects assess
assessed associated available back based become becomes began begin begun best better beyond bring build builds
built called carried case cases certain challenge challenges challenging choose chosen clear clearly close closely
come comes common commonly compare compared compares comparing comparison complete comprehensive conclude concluded
conclusion conclusions conduct conducted consider considered considering consist consists contribute contribution
contributions could crucial current currently demonstrate demonstrated demonstrates depend depends describe
described describes designed despite detail detailed details determine determined develop developed developing
differ difference differences different difficult discuss discussed discusses discussion due easily easy effect
effective effectively effectiveness effects efficient efficiently either else employ employed enable enables
enabling enough especially establish established etc evaluate evaluated evaluating evaluation even every examine
examined examines example examples existing experiment experimental experiments explain explains explore explored
explores exploring extensive far find finding findings first focus focused found framework full fully furthermore
future gain gained give given gives goal good great greatly grew grow growing grows half help helps hence high
higher highest highly however identified identify identifying implement implemented importance important improve
improved improvement improvements improves improving include included includes including increase increased
increases increasing increasingly indicate indicates interesting introduce introduced introduces investigate
investigated investigates issue issues keep key know known large largely larger last lead leading leads less let
level levels lie like likely limited little long low lower made mainly major make makes making many may mean means
measure measured measures method methodology methods might much must namely necessary need needed needs never
nevertheless new newly next novel number numbers observe observed obtain obtained offer often one others otherwise
outperform outperforms overall paper papers part particular particularly per perform performance performed performs
perspective play possible potential practical practice present presented presenting presents previous previously
problem problems produce produced promising propose proposed proposes proposing prove provide provided provides
providing published purpose put quite range rather reach real recent recently reduce reduced reduces related
relatively relevant remain remains report reported reports require required requires research researchers respect
respectively result resulting results reveal rise say second see seem seems seen separate set sets several short
show showed showing shown shows significant significantly similar simple simply since single small solution
solutions solve specific specifically still strong studied studies study studying suggest suggested suggests
suitable summarise summarize supplied supplies supply take taken takes task tasks technique techniques tested
therefore third though three thus together tool tools top toward towards try turn turns two type types typical
typically understand unlike upon us usage use used useful uses using usually various via view way ways well whereas
whether whole wide widely within without work works would yet yield yields
"""
# What the lists of whoosh lack.
_FURTHER = {
    "fr": "les cette ces entre",
    "pl": "w we z ze i na do się o że nie jest są oraz od po dla przez przy jako ich",
    "cs": "v ve z ze na se je jsou že do od po pro při nebo podle jako ke",
}
_FEWEST = 2  # different function words by which a language is known
# Of compounds that the index parts at the hyphen.
_PREFIXES = ("anti", "co", "inter", "intra", "multi", "non", "post", "pre", "re", "semi", "sub")


def is_stop_word(word: str) -> bool:
    """Whether a word is a function word, one of any scientific text, a single letter or a number."""
    lowered = word.lower()
    return lowered in _words() or (lowered.isascii() and (len(lowered) == 1 or not any(map(str.isalpha, lowered))))


def function_words(words: Iterable[str]) -> frozenset[str]:
    """Those of the language that a text of these words is in; none where that is English, or unknown."""
    language = language_of(words)
    return frozenset() if language in {"en", None} else _of_languages()[language]


def language_of(words: Iterable[str]) -> str | None:
    """The language of a text of these words, such as "en"; None where function words do not tell: several have "in".

    It is the one whose function words are most of them: "die" and "an" are German among others of German alone.
    """
    counts = Counter(word.lower() for word in words)
    there = frozenset(counts)
    found = {language: listed & there for language, listed in _of_languages().items()}
    held = {language: (sum(counts[word] for word in own), len(own)) for language, own in found.items()}
    english, _ = held.pop("en")
    language, (most, different) = max(held.items(), key=lambda one: one[1])
    if most > english and different >= _FEWEST:
        return language
    return "en" if english > most else None


@cache
def _of_languages() -> dict[str, frozenset[str]]:
    from whoosh.lang.stopwords import stoplists

    further = {language: frozenset(words.split()) for language, words in _FURTHER.items()}
    return {one: stoplists.get(one, frozenset()) | further.get(one, frozenset()) for one in stoplists | further}


@cache
def _words() -> frozenset[str]:
    from whoosh.lang.stopwords import stoplists

    return frozenset((*stoplists["en"], *_OF_ANY_PAPER.split(), *_PREFIXES))
