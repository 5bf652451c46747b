"""Headings of abstracts and of what follows them: English ones, and those of the languages that babel knows."""

from __future__ import annotations

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
