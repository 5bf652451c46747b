"""Names of languages in bibliographies: babel's and biblatex's, which LaTeX needs, and the tags that others read."""

# Tags of BCP 47, and what else a language is called: first by babel, then by people, catalogues and ISO 639-2.
_NAMES = """
af afrikaans; ar arabic ara; be belarusian; bg bulgarian bul; ca catalan català cat; cs czech čeština česky cze ces
da danish dansk dan; de german ngerman deutsch germanb ger deu; de-AT naustrian austrian; de-CH nswissgerman swissgerman
el greek gre ell; en english englisch anglais inglês inglés eng; en-AU australian; en-CA canadian
en-GB british ukenglish; en-US american usenglish; es spanish español castellano spanisch espagnol spa
et estonian eesti est; eu basque; fa persian farsi per fas; fi finnish suomi fin
fr french francais français französisch francês francés fre fra; fr-CA canadien acadian; gl galician glg
grc polutonikogreek ancientgreek; he hebrew heb; hi hindi hin; hr croatian hrvatski hrv; hu hungarian magyar hun
id indonesian bahasai ind; is icelandic ice isl; it italian italiano ita; ja japanese 日本語 jpn; ko korean 한국어 kor
la latin lat; lt lithuanian lit; lv latvian lav; nb norsk bokmal norwegian nor nob; nl dutch nederlands dut nld
nn nynorsk nno; pl polish polski pol; pt portuguese portuges português por; pt-BR brazilian brazil
ro romanian rum ron; ru russian русский rus; sk slovak slovenčina slk slo; sl slovene slovenian slv; sr serbian srp
sv swedish svenska swe; th thai tha; tr turkish türkçe tur; uk ukrainian українська ukr; vi vietnamese vie
zh chinese 中文 chi zho
"""
_LISTS = [one.split() for one in _NAMES.replace("\n", "; ").split(";") if one.strip()]
_TAGS = {name: tag for tag, *names in _LISTS for name in names}
_OF_BABEL = {tag.lower(): names[0] for tag, *names in _LISTS}


def tag_of(language: str) -> str:
    """The tag of a language that is called so, such as "de" of "ngerman"; of any other what is given."""
    return _TAGS.get(language.strip().lower(), language)


def babel_name(tag: str) -> str:
    """What LaTeX calls the language of a tag, such as "german" of "de" or "de-DE"; "" of others."""
    lowered = tag.lower().replace("_", "-")
    return _OF_BABEL.get(lowered) or _OF_BABEL.get(lowered.partition("-")[0], "")
