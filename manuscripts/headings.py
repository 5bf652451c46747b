"""Headings of abstracts and reference lists, and of what follows them.

Those of abstracts are English ones, and those of the languages that babel knows.
"""

import re

_OTHERS = r"""
zusammenfassung kurzfassung kurzzusammenfassung abstrakt r[eé]sumé resumen resumo resum riassunto sommario
samenvatting sammanfattning sammendrag samandrag tiivistelmä streszczenie souhrn rezumat sažetak povzetek kivonat
összefoglaló özet öz περίληψη аннотация анотація резюме реферат 摘\s*要 要\s*旨 概\s*要 抄\s*録 초\s*록 요\s*약
"""
_KEYWORDS = r"""
schlüsselwörter schlagw[oö]rter stichw[oö]rter stichworte mots[\s-]clés? palabras\s+claves? palavras?[\s-]chave
paraules\s+clau parole\s+chiave trefwoorden nyckelord nøkkelord emneord avainsanat słowa\s+kluczowe klíčová\s+slova
kľúčové\s+slová kulcsszavak cuvinte[\s-]cheie ključne\s+riječi ključne\s+besede anahtar\s+kelimeler λέξεις[\s-]κλειδιά
ключевые\s+слова ключові\s+слова 关键[词字] 關鍵[詞字] キーワード 키워드 주제어
"""
_INTRODUCTIONS = """
einleitung einführung introducción introdução introducció introduzione inleiding inledning innledning johdanto
wprowadzenie wstęp úvod bevezetés introducere uvod giriş εισαγωγή введение вступ 引言 绪论 緒論 前言 はじめに 서론
"""

# Regular expressions, to be used without regard to case.
ENGLISH = "abstract|summary"
OTHERS = "|".join(_OTHERS.split())
BEHIND = rf"(?:{'|'.join((_KEYWORDS + _INTRODUCTIONS).split())})(?!\w)"  # what begins below one of OTHERS
ANY = re.compile(f"{ENGLISH}|{OTHERS}", re.IGNORECASE)

# A line that is the heading of a printed reference list.
REFERENCE_LIST = re.compile(
    r"^[ \t]*(?:(?:\d+|[IVX]+)[.)]?[ \t]+)?(?:references(?: (?:and|&) notes| cited)?|(?:notes (?:and|&) )?references|"
    r"reference list|bibliograph(?:y|ie)|literature cited|works cited|literatur(?:verzeichnis)?)[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# The beginning of a line behind the list.
BEHIND_LIST = re.compile(
    r"^[ \t]*(?:appendix\b|appendices\b|[A-Z][ \t]+(?:appendix|additional|proof|supplement)|supplementa\w+ material|"
    r"acknowledge?ments?\b|author contributions|checklist\b|(?:figure|table)s?(?: and tables?)? (?:legend|caption)s?\b|"
    r"(?:supporting information|funding|(?:competing|conflicts? of) interests?|data availability(?: statement)?|"
    r"figures|tables)[ \t]*:?[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
