"""Headings of abstracts and reference lists, and of what follows them.

They are English ones, and those of the languages that babel knows.
"""

import re
import unicodedata

from common.text import folded

_OTHERS = r"""
zusammenfassung kurzfassung kurzzusammenfassung abstrakt r[eé]sumé resumen resumo resum riassunto sommario
samenvatting sammanfattning sammendrag samandrag tiivistelmä streszczenie souhrn rezumat sažetak povzetek kivonat
összefoglaló özet öz περίληψη аннотация анотація резюме реферат 摘\s*要 要\s*旨 概\s*要 抄\s*録 초\s*록 요\s*약
الملخص ملخص المستخلص مستخلص چکیده תקציר abstrak tóm\s+tắt บทคัดย่อ
"""
_KEYWORDS = r"""
schlüsselwörter schlagw[oö]rter stichw[oö]rter stichworte mots[\s-]clés? palabras\s+claves? palavras?[\s-]chave
paraules\s+clau parole\s+chiave trefwoorden nyckelord nøkkelord emneord avainsanat słowa\s+kluczowe klíčová\s+slova
kľúčové\s+slová kulcsszavak cuvinte[\s-]cheie ključne\s+riječi ključne\s+besede anahtar\s+kelimeler λέξεις[\s-]κλειδιά
ключевые\s+слова ключові\s+слова 关键[词字] 關鍵[詞字] キーワード 키워드 주제어
الكلمات\s+المفتاحية کلید\s?\u200c?واژه کلمات\s+کلیدی מילות\s+מפתח kata\s+kunci từ\s+khóa คำสำคัญ
"""
_INTRODUCTIONS = r"""
einleitung einführung introducción introdução introducció introduzione inleiding inledning innledning johdanto
wprowadzenie wstęp úvod bevezetés introducere uvod giriş εισαγωγή введение вступ 引言 绪论 緒論 前言 はじめに 서론
المقدمة مقدمة مقدمه מבוא הקדמה pendahuluan đặt\s+vấn\s+đề บทนำ
"""
# Of reference lists, parted by commas, with words in brackets that may be there.
_LISTS = """
reference list, list of references, references cited, references and notes, references & notes,
notes and references, notes & references, (selected )bibliography, select bibliography, literature cited, works cited,
(supplementary )references, supplemental references, additional references, primary sources, secondary sources,
secondary literature, primärquellen, primärliteratur, sekundärliteratur, sources primaires, sources secondaires,
fuentes primarias, fuentes secundarias, fonti primarie, fonti secondarie, fontes primárias, fontes secundárias,
literatur, literaturverzeichnis, literaturangaben, literaturliste, zitierte literatur, quellen, quellenverzeichnis,
quellen- und literaturverzeichnis, literatur- und quellenverzeichnis, referenzen, bibliographie, bibliografie,
références( bibliographiques), références citées, liste des références, bibliographie sélective, ouvrages cités,
referencias( bibliográficas), lista de referencias, bibliografía( citada), obras citadas, literatura citada,
referências( bibliográficas), lista de referências, bibliografia, referències( bibliogràfiques),
riferimenti( bibliografici), opere citate, literatuur, literatuurlijst, referenties, bronnen, bronnenlijst,
referenser, referenslista, litteratur, litteraturförteckning, käll- och litteraturförteckning, källförteckning, källor,
referanser, referanseliste, referencer, litteraturliste, lähteet, lähdeluettelo, kirjallisuus, kirjallisuusluettelo,
(použitá )literatura, seznam (použité )literatury, literatúra, zoznam (použitej )literatúry, spis literatury,
piśmiennictwo, popis literature, literatura i izvori, literatura in viri, viri in literatura, (felhasznált )irodalom,
irodalomjegyzék, hivatkozások, referințe( bibliografice), kaynaklar, kaynakça, βιβλιογραφία,
(βιβλιογραφικές )αναφορές, (использованная )литература, список (использованной )литературы,
список (использованных )источников, список источников и литературы, библиография, библиографический список,
(використана )література, список (використаної )літератури, список використаних джерел, бібліографія,
(主要)参考文献, 参考文献一覧, 引用文献, 文献, 参考书目, (主要)參考文獻, 引用文獻, 參考書目, 참고문헌, 인용문헌,
(قائمة )المراجع, المصادر والمراجع, قائمة المصادر والمراجع, (فهرست )منابع, منابع و مآخذ, (רשימת )מקורות, ביבליוגרפיה,
daftar pustaka, daftar rujukan, tài liệu tham khảo, เอกสารอ้างอิง, บรรณานุกรม
"""
_BEHIND_LISTS = """
anhang danksagung annexes? remerciements apéndices? anexos? agradecimientos apêndices? agradecimentos appendic[ei]
allegat[oi] ringraziamenti bijlagen? dankwoord bilag(?:or|a)? vedlegg liit(?:e|teet) załączniki? příloh[ay] függelék
anex[ăe] παράρτημα приложени[ея] благодарност[ьи] додат(?:ок|ки) подяки? 附录 致谢 附錄 致謝 付録 謝辞 부록
"""
_IN_BRACKETS = re.compile(r"\(([^()]*)\)")
_NUMBER = re.compile(r"^[ \t]*(?:(?:\d+|[IVX]+)[.)]?[ \t]+|[一二三四五六七八九十]+、)", re.IGNORECASE)
_AROUND = " \t[]【】:："  # the words of a heading
_LONGEST = 80  # characters of the line of one


def _key(heading: str) -> str:
    """The heading as it is compared: capitals, accents and spaces, with which some set letters apart, do not count."""
    return "".join(folded(heading).split())


_NAMES_OF_LISTS = {_key(_IN_BRACKETS.sub(kept, name)) for name in _LISTS.split(",") for kept in (r"\1", "")}


def is_reference_list(line: str) -> bool:
    """Whether a line is the heading of a printed reference list."""
    return len(line) <= _LONGEST and _key(_NUMBER.sub("", line).strip(_AROUND)) in _NAMES_OF_LISTS


def _with_or_without_accents(names: str) -> str:
    """The same regular expression, in which accents may be missing, as in capitals, or be characters of their own."""
    letters = ((letter, unicodedata.normalize("NFD", letter)) for letter in names)
    return "".join(letter if letter == apart else f"(?:{letter}|{apart}?)" for letter, apart in letters)


# Regular expressions, to be used without regard to case.
ENGLISH = r"a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|(?:(?:proposal|project|executive)\s)?summary"
OTHERS = "|".join(_OTHERS.split())
BEHIND = rf"(?:{'|'.join((_KEYWORDS + _INTRODUCTIONS).split())})(?!\w)"  # what begins below one of OTHERS
ANY = re.compile(f"{ENGLISH}|{OTHERS}", re.IGNORECASE)

# The beginning of a line behind the list.
BEHIND_LIST = re.compile(
    r"^[ \t]*(?:appendix\b|appendices\b|[A-Z][ \t]+(?:appendix|additional|proof|supplement)|supplementa\w+ material|"
    r"acknowledge?ments?\b|author contributions|checklist\b|(?:figure|table)s?(?: and tables?)? (?:legend|caption)s?\b|"
    r"(?:supporting information|funding|(?:competing|conflicts? of) interests?|data availability(?: statement)?|"
    r"figures|tables|about the authors?|(?:authors?['’]? )?(?:biograph(?:y|ies)|biographical notes?))[ \t]*:?[ \t]*$"
    r"|\d{1,2}[.)]?[ \t]+(?:appendix|appendices|acknowledge?ments?|anhang|danksagung)[ \t]*:?[ \t]*$"
    r"|word count[ \t]*:|affiliations?[ \t]*:[ \t]*$"
    rf"|(?:{_with_or_without_accents('|'.join(_BEHIND_LISTS.split()))})[ \t]*(?:(?-i:[A-Z]|\d{{1,2}})\b|[:：]|$))",
    re.IGNORECASE | re.MULTILINE,
)
