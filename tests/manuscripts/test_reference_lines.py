from pathlib import Path

import pytest
from archives import zipped
from small_index import recommender_fixture, recommender_of

from citescout.manuscript_citations import resolved
from indexer.original import Original
from indexer.paper import Imprint, Paper
from manuscripts import read_manuscript
from manuscripts.bibliographies import entry_of
from manuscripts.manuscript import Entry
from manuscripts.reading import read
from manuscripts.reference_lines import entries, readings, year_of

BERT = "BERT: Pre-training of deep bidirectional transformers for language understanding"
PAPERS = (
    Paper("bert", BERT, year=2019),
    Paper("bm25", "The probabilistic relevance framework: BM25 and beyond", year=2009, doi="10.1561/1500000019"),
    Paper("attention", "Attention is all you need", year=2017, arxiv="1706.03762"),
    Paper("tsne", "Visualizing data using t-SNE", year=2008),
    Paper("principle", "The probability ranking principle in IR", year=1977),
    Paper("edits", "Facts that are edited in LLMs", year=2022),
    Paper("shots", "Learning from few examples with GPT-3", year=2020),
    Paper("c", "The elements of programming in C", year=1988),
    Paper("letters", "On the collected letters of J. Firth and L. Schwartz", year=1999),
    Paper("zh", "基于深度学习的引文推荐研究综述与展望", year=2019),
    Paper("ja", "論文推薦における引用文脈の利用に関する研究", year=2020),
    Paper("ru", "Память и внимание в процессе принятия решений", year=2001),
    Paper("systems", "Soziale Systeme: Grundriß einer allgemeinen Theorie", year=1984),
    Paper("fermat", "Modular elliptic curves and Fermat's last theorem", year=1995),
    Paper("prison", "Surveiller et punir: Naissance de la prison", year=1975, authors=("Michel Foucault",)),
    Paper("hamburg", "Tod in Hamburg: Stadt und Politik in den Jahren 1830–1910", year=1990, authors=("Evans, R.",)),
    Paper("europe", "Europa 1848: Revolution und Reform", year=1998),
    Paper("germany", "Die deutsche Revolution von 1848/49", year=1985, authors=("Wolfram Siemann",)),
    Paper("peasant", "Chłop polski w Europie i Ameryce", year=1976, authors=("Florian Znaniecki", "William I. Thomas")),
    Paper("soil", "乡土中国", year=1948, authors=("费孝通",)),
    Paper("thinking", "Мышление и речь", year=1934, authors=("Выготский, Лев Семёнович",)),
    Paper("purgatory", "La naissance du purgatoire", year=1981, authors=("Jacques Le Goff",)),
    Paper("words", "Deutsches Wörterbuch", year=1854, authors=("Jacob Grimm", "Wilhelm Grimm")),
)

recommender = recommender_fixture(PAPERS)


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (
            "J. Devlin, M.-W. Chang, K. Lee, and K. Toutanova. BERT: Pre-training of deep bidirectional transformers "
            "for language understanding. In NAACL-HLT, pages 4171–4186, 2019.",
            "bert",
        ),
        (
            "Devlin, J., Chang, M.W., Lee, K., Toutanova, K.: BERT: Pre-training of deep bidirectional transformers "
            "for language understanding. In: NAACL-HLT (2019)",
            "bert",
        ),
        (
            "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training of deep bidirectional "
            "transformers for language understanding. Proceedings of NAACL, 1, 4171–4186.",
            "bert",
        ),
        (
            "J. Devlin et al., “BERT: Pre-training of deep bidirectional transformers for language understanding,” "
            "in Proc. NAACL, 2019, pp. 4171–4186.",
            "bert",
        ),
        (
            "Devlin J, Chang MW, van der Lee K, et al. BERT: pre-training of deep bidirectional transformers for "
            "language understanding. NAACL. 2019;1:4171-86.",
            "bert",
        ),
        (f"Jacob Devlin and Xin Li. {BERT}. In NAACL-HLT, pages 4171–4186. ACL, 2019.", "bert"),
        (f"J. Devlin, M.-W. Chang, and H. T. Ng. {BERT}. NAACL-HLT, 1(2):4171–4186, 2019.", "bert"),
        (f"Devlin J, Chang MW. [{BERT}]. Komput Lingvist. 2019 Mar;53(2):4171-86. Russian.", "bert"),
        (f"Devlin, J. (2019). [{BERT}]. Komput. Lingvist., 53, 4171–4186.", "bert"),
        (f"Devlin J, Chang MW. {BERT} [letter]. NAACL. 2019;1:4171-86.", "bert"),
        (f"Devlin, J. (2019). {BERT} [Doctoral dissertation, University of Washington]. ProQuest.", "bert"),
        ("Luhmann, N. (1984). Soziale Systeme: Grundriß einer allgemeinen Theorie [Social systems]. Acta.", "systems"),
        (f"J. Devlin, M.-W. Chang, K. van der Lee, {BERT}, Comput. Linguist. 45 (2) (2019) 4171–4186.", "bert"),
        (f"J. Devlin, K. O’Lee, {BERT}, in: Proceedings of NAACL, ACL, 2019, pp. 4171–4186.", "bert"),
        (f"Devlin, J., García Márquez, G. & Lee, K. {BERT}. Comput. Linguist. 45, 4171–4186 (2019).", "bert"),
        (f"Devlin, J. et al. {BERT}. Comput. Linguist. 45, 4171–4186 (2019).", "bert"),
        (f"Devlin, J. and Lee, K. (2019) {BERT}, Computational Linguistics, 45, pp. 4171–4186.", "bert"),
        (f"J. Devlin, M.-W. Chang, and É. Lee, {BERT}, Comput. Linguist. 45, 4171 (2019).", "bert"),
        (f"Devlin J., Lee K., 2019, {BERT}, Computational Linguistics, 45, 4171", "bert"),
        (f"DEVLIN J, VAN DER LEE K. {BERT}[J]. Computational Linguistics, 2019, 45(2): 4171-4186.", "bert"),
        ("A. Vaswani, N. Shazeer, Attention is all you need, Neural Comput. 65, 391 (2017).", "attention"),
        ("J. Roe, A completely different matter, of taste and tea, J. Tea Sci. 65 (2020) 391–392.", None),
        ("Vaswani A. Attention is all you need. 2017", "attention"),
        ("Ashish Vaswani, Noam Shazeer: Attention is All you Need. NIPS 2017: 5998-6008", "attention"),
        ("Robertson and Zaragoza, Found. Trends Inf. Retr. (2009). https://doi.org/10.1561/1500000019.", "bm25"),
        ("Vaswani et al. arXiv:1706.03762v5, 2017", "attention"),
        ("Maaten, L. & zum Felde, K. Visualizing data using t-SNE. JMLR 9, 2579-2605 (2008).", "tsne"),
        ("L. Maaten, M. do Nascimento, P. van 't Hof, Visualizing data using t-SNE, JMLR 9 (2008) 2579-2605.", "tsne"),
        ("van der Maaten, L., & Hinton, G. (2008). Visualizing data using t-SNE. JMLR, 9, 2579-2605.", "tsne"),
        ("S. Robertson. The probability ranking principle in IR. Journal of Documentation 33, 1977.", "principle"),
        ("Cao Yu., and Li, AB. 2022. Facts that are edited in LLMs. In ICLR.", "edits"),
        ("T. Brown. Learning from few examples with GPT-3. In Advances in Neural Information Systems, 2020.", "shots"),
        ("B. Kernighan. 1988. The elements of programming in C. Prentice Hall.", "c"),
        ("A. Roe. 1999. On the collected letters of J. Firth and L. Schwartz. Oxford.", "letters"),
        ("The probabilistic relevance framework: BM25 and beyond", "bm25"),
        ("attention", "attention"),
        ("Somebody Else. A completely different matter of taste and tea. In Proc. Tea, 2020.", None),
        (f"Jacob Devlin, Ming-Wei Chang, Kenton Lee, and Kristina Toutanova, {BERT}, Comput. 45 (2019), 1–9.", "bert"),
        ("Ashish Vaswani, Attention is all you need, Ann. of Math. (2) 141 (2017), no. 3, 443–551.", "attention"),
        ("Ashish A. Vaswani & Noam Shazeer, Attention Is All You Need, 24 HARV. L. REV. 87 (2017).", "attention"),
        ("Devlin, Jacob/Lee, Kenton A., Facts that are edited in LLMs, AcP 184 (2022), S. 201–246.", "edits"),
        ("Kernighan, Brian, The elements of programming in C, Englewood Cliffs 1988.", "c"),
        ("———, Attention is all you need, Invent. Math. 94 (2017), no. 3, 529–573.", "attention"),
        ("王小明, 李四. 基于深度学习的引文推荐研究综述与展望[J]. 情报学报, 2019, 38(2): 1-10.", "zh"),
        ("王小明，李四．基于深度学习的引文推荐研究综述与展望［J］．情报学报，2019，38（2）：1-10．", "zh"),
        ("王小明,李四.基于深度学习的引文推荐研究综述与展望[J].情报学报,2019,38(2):1-10.", "zh"),
        ("王小明：《基于深度学习的引文推荐研究综述与展望》，《情报学报》2019年第2期，第1—10页。", "zh"),
        ("王小明. 另一个完全不同的关于茶的研究综述与展望[J]. 情报学报, 2019, 38(2): 1-10.", None),
        ("山田太郎，田中花子：「論文推薦における引用文脈の利用に関する研究」，情報，Vol.61, pp.1-10 (2020).", "ja"),
        ("Иванов И. И. Память и внимание в процессе принятия решений // Вопросы психологии. 2001. С. 1–10.", "ru"),
        ("Иванов И. И. Память и внимание в процессе принятия решений / И. И. Иванов. — М.: Наука, 2001.", "ru"),
        ("Иванов, И. 2001. «Память и внимание в процессе принятия решений». Вопросы психологии 5.", "ru"),
        ("Luhmann, Niklas (1984): Soziale Systeme. Grundriß einer allgemeinen Theorie. Frankfurt/M.", "systems"),
        ("Luhmann, N. (1984). Soziale Systeme. Grundriß einer allgemeinen Theorie. Suhrkamp.", "systems"),
        ("Luhmann, Niklas: „Soziale Systeme. Grundriß einer allgemeinen Theorie“, in: Acta 3 (1984).", "systems"),
        ("Wiles, A 1995, 'Modular elliptic curves and Fermat's last theorem', Annals, vol. 141, p. 443.", "fermat"),
        ("Wiles, A 1995, ‘Modular elliptic curves and Fermat’s last theorem’, Annals, vol. 141, p. 443.", "fermat"),
        ("Wiles A., 'Modular elliptic curves and Fermat's last theorem' (1995) 141 Annals 443", "fermat"),
        ("Ann Roe, On tea, cups, and attention is all you need, J. Tea Sci. 65 (2020), 1–9.", None),
        ("Ann Roe, Tea: Visualizing data using t-SNE and more, 65 J. Tea Sci. 391 (2020).", None),
        ("Michel Foucault, Surveiller et punir: Naissance de la prison (Paris: Gallimard, 1975), 14–17.", "prison"),
        ("Michel Foucault, Surveiller et punir: Naissance de la prison (1975).", "prison"),
        ("Foucault, Michel: Surveiller et punir. Naissance de la prison (= tel 225), Paris 1975.", "prison"),
        ("Foucault, Michel: Surveiller et punir. Naissance de la prison. 9. Aufl. Paris 1975.", "prison"),
        ("Evans, Richard J.: Tod in Hamburg. Stadt und Politik in den Jahren 1830–1910, Reinbek 1990.", "hamburg"),
        ("Dowe, Dieter (Hg.): Europa 1848. Revolution und Reform, Bonn 1998.", "europe"),
        ("Dieter Dowe u. a. (Hg.), Europa 1848. Revolution und Reform, Bonn 1998.", "europe"),
        ("Dowe, Dieter/Haupt, Heinz-Gerhard/Doe, Jo (Hrsg.): Europa 1848. Revolution und Reform. Bonn 1998.", "europe"),
        ("Wolfram Siemann: Die deutsche Revolution von 1848/49, Frankfurt am Main 1985.", "germany"),
        ("Wolfram Siemann: Die deutsche Revolution von 1848/49. Frankfurt a. M.: Suhrkamp 1985.", "germany"),
        ("Znaniecki, Florian und William I. Thomas: Chłop polski w Europie i Ameryce, Warszawa 1976.", "peasant"),
        ("Znaniecki, Florian; Thomas, William I.: Chłop polski w Europie i Ameryce, Warszawa 1976.", "peasant"),
        ("费孝通. 乡土中国[M]. 北京: 人民出版社, 1948.", "soil"),
        ("王小明. 乡土中国[M]. 北京: 人民出版社, 1948.", None),
        ("Выготский Л. С. Мышление и речь. М.: Соцэкгиз, 1934.", "thinking"),
        ("Иванов И. И. Мышление и речь. М.: Соцэкгиз, 1934.", None),
        ("Le Goff J., La naissance du purgatoire, Paris, Gallimard, 1981.", "purgatory"),
        ("Grimm, Jacob/Grimm, Wilhelm: Deutsches Wörterbuch, Leipzig 1854.", "words"),
        ("Roe, Ann: Deutsches Wörterbuch, Leipzig 1854.", None),
        ("A Roe/J Grimm: Deutsches Wörterbuch, Leipzig 1854.", None),
        ("F. Roe, M. -H. Doe, Attention is all you need, Neural Comput. 65 (2017) 391–400.", "attention"),
        ("Grimm, Jacob/Grimm, Wilhelm: Deutsches Wörterbuch, Leipzig 1984.", None),
        ("Vaswani, A. and Shazeer, N. (2017), Attention is all you need, in ‘Neural Systems’, pp. 1–9.", "attention"),
        ("van der Maaten, L. (2008), Visualizing data using t-SNE, Microtome, Brookline.", "tsne"),
        ("Robertson, S. (1977). The probability ranking principle in IR, Proceedings of Trees, pp. 1–9.", "principle"),
        ("Le Goff, J. (1981), La naissance du purgatoire, Gallimard, Paris.", "purgatory"),
        ("Roe, A. (1854), Deutsches Wörterbuch, Hirzel, Leipzig.", None),
        ("Roe, A., & Doe, J. (2001). On tea, attention is all you need. Journal of Tea, 3, 1–9.", None),
    ],
)
def test_entries_of_common_styles_are_recognised(recommender, entry, found):
    matches = [match.paper.id for match in recommender.resolve(readings(entry)) if match.paper]
    assert (matches[0] if matches else None) == found


def test_the_printed_year_and_the_volume_decide_among_books_of_one_title(tmp_path: Path) -> None:
    title, author = "System des heutigen Römischen Rechts", "Friedrich Carl von Savigny"
    books = [
        Paper(f"v{volume}", title, year=year, authors=(author,), imprint=Imprint("book", str(volume)))
        for volume, year in ((1, 1840), (2, 1840), (8, 1849))
    ]
    with recommender_of(books, tmp_path) as recommender:
        lines = [f"Savigny, Friedrich Carl von: {title}, Berlin {year}." for year in (1840, 1849, 1890)]
        found = resolved(recommender.resolve, [Entry(line, readings(line)) for line in lines])
        assert [match.paper and match.paper.year for match in found] == [1840, 1849, 1840]
        owned = [
            Paper(
                f"own{n}",
                title,
                year=1840,
                authors=(author,),
                original=Original("bibtex", f"@book{{own{n}, volume = {{{n}}}}}"),
            )
            for n in (1, 2, 3)
        ]
        found = resolved(recommender.resolve, [entry_of(paper) for paper in owned])
        assert [match.paper and match.paper.id for match in found] == ["v1", "v2", None]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("Keller, B. (2008). The effect of mindfulness training on burnout. Journal of Nursing, 3(2), 1-9.", None),
        ("B. Keller, The effect of mindfulness training on burnout, J. Nurs. 3 (2) (2008) 1–9.", None),
        ("Keller, B. The effect of mindfulness training on burnout. Unpublished.", None),
        ("Wang, Q. (2008). The effect of mindfulness training on burnout. Journal of Nursing, 3(2), 1-9.", "burnout"),
        ("Wang Q, Keller B. The effect of mindfulness training on burnout. J Nurs. 2008;3(2):1-9.", "burnout"),
        ("Wnag, Q. (2021). The effect of mindfulness training on burnout. Journal of Nursing, 3(2), 1-9.", "burnout"),
        ("———. 2008. The effect of mindfulness training on burnout. Journal of Nursing 3: 1-9.", None),
        ("———. 2020. The effect of mindfulness training on burnout. Journal of Nursing 3: 1-9.", "burnout"),
        ("The effect of mindfulness training on burnout", "burnout"),
        ("Price, D. J. de Solla. (1963). Little science, big science. Columbia University Press.", None),
        ("Price, D. J. de Solla. (1960). Little science, big science. Columbia University Press.", None),
        ("Østergaard, K. (1960). Little science, big science. Columbia University Press.", "big"),
        ("Østergaard, K. (1986). Little science, big science. Columbia University Press.", "big"),
        ("Little science, big science", "big"),
        ("Roe, A. (2011). Physiotherapeutic rehabilitation programmes. Acta, 3, 1-9.", None),
        ("Poe, J., Doe, A. (2011). Physiotherapeutic rehabilitation programmes. Acta, 3, 1-9.", "few"),
        ("Roe, A. (2001). Of rivers and their names. Acta, 3, 1-9.", "rivers"),
        ("Roe, A. (2003). Of rivers and their names. Acta, 3, 1-9.", None),
        ("王小明. 城市化进程中的农民工问题[J]. 社会学研究, 2008, 38(2): 1-10.", None),
        ("Li Si. 城市化进程中的农民工问题[J]. 社会学研究, 2001, 38(2): 1-10.", "zh"),
        ("李四. 城市化进程中的农民工问题[J]. 社会学研究, 2008, 38(2): 1-10.", "zh"),
    ],
)
def test_a_title_in_a_printed_entry_holds_by_author_or_year(tmp_path: Path, entry: str, found: str | None) -> None:
    papers = [
        Paper("burnout", "The effect of mindfulness training on burnout", year=2021, authors=("Wang, Q.",)),
        Paper("big", "Little science, big science", year=1960, authors=("Knud Østergaard",)),
        Paper("rivers", "Of rivers and their names", year=2001),
        Paper("few", "Physiotherapeutic rehabilitation programmes", year=2011, authors=("Doe, Ann", "Poe, Jo")),
        Paper("zh", "城市化进程中的农民工问题", year=2001, authors=("李四",)),
    ]
    with recommender_of(papers, tmp_path) as recommender:
        (match,) = resolved(recommender.resolve, [Entry(entry, readings(entry))])
    assert (match.paper.id if match.paper else None) == found


@pytest.mark.parametrize(
    "text",
    [
        "[1] First one of\nthem all.\n[2] Second.\n[3] Third-\nrate things.",
        "1. First one of\n   them all.\n2. Second.\n3. Third-\nrate things.",
        "First one of\nthem all.\n\nSecond.\n\nThird-\nrate things.",
        "First one of them all.\nSecond.\nThirdrate things.",
    ],
)
def test_entries_are_parted_by_numbers_blank_lines_or_lines(text):
    assert [entry.rstrip(".") for entry in entries(text)] == [
        "First one of them all",
        "Second",
        "Thirdrate things",
    ]


@pytest.mark.parametrize("end", ["pp. 335-\n346. doi: 10.1000/1.", "Acta.\n[Online]. doi: 10.1000/1."])
def test_a_line_that_begins_as_with_a_mark_of_another_kind_goes_on(end: str) -> None:
    mark = "[%d]" if "346" in end else "%d."
    listed = "\n".join(f"{mark % number} Doe, J. Trees of {number} towns. {end}" for number in (1, 2))
    assert [entry[:21] for entry in entries(listed)] == ["Doe, J. Trees of 1 to", "Doe, J. Trees of 2 to"]


IBERIAN = [
    ("García, J. y Doe, K.", "El agua", "Acta, 3, 5-9, 2010."),
    ("Pérez, M., López, R., y Gómez, S.", "El clima", "Acta, 4, 1-9, 2015."),
    ("Ruiz, A. y De la Torre, B.", "La sierra", "Acta, 5, 1-9, 2011."),
    ("Núñez, A. e Iglesias, B.", "Los ríos", "Acta, 6, 1-9, 2012."),
    ("Ortega y Gasset, J.", "Las masas", "Madrid: Alianza, 1930."),
    ("Vega, L. y Ortega y Gasset, J.", "La técnica", "Madrid: Alianza, 1931."),
    ("Souza, A. e Silva, M.", "A citação", "Acta, 3, 5-9, 2012."),
    ("Costa, B., Lima, C. e Santos, D.", "O solo", "Acta, 4, 1-9, 2014."),
    ("Alves, F., e Dias, G.", "A serra", "Acta, 5, 1-9, 2016."),
    ("Rocha, H. e dos Santos, I.", "Os rios", "Acta, 6, 1-9, 2017."),
    ("Costa e Silva, J.", "As aves", "Acta, 7, 1-9, 2018."),
    ("Nunes, A. e Melo e Castro, E.", "O mar", "Porto: Chardron, 1988."),
]


@pytest.mark.parametrize(("authors", "title", "rest"), IBERIAN)
def test_the_last_author_behind_y_or_e_is_no_part_of_a_short_title(authors: str, title: str, rest: str) -> None:
    read = [paper for paper in readings(f"{authors} {title}. {rest}") if paper.authors]
    assert (title, int(rest[-5:-1])) in {(paper.title, paper.year) for paper in read}
    assert authors.startswith(read[0].authors[0])


@pytest.mark.parametrize(("heading", "part"), [("Referencias", IBERIAN[:6]), ("Referências", IBERIAN[6:])])
def test_authors_with_y_or_e_begin_entries_of_a_list(heading: str, part: list[tuple[str, str, str]]) -> None:
    lines = [f"{authors} ({rest[-5:-1]}). {title}. {rest[:-7]}." for authors, title, rest in part]
    found = read("\n\n".join(("Sobre", "Es así.", heading, "\n".join(lines))).encode())
    assert [entry.source for entry in found.entries] == lines


@pytest.mark.parametrize(
    ("entry", "is_named"),
    [
        ("M. Zoe and H. Kim, Proceedings of the Conference on Maps, Paris, 2018, pp. 55–66", False),
        ("Zoe, M.; Kim, H. Reading old maps. Proceedings of the Conference on Maps. Paris, 2018; pp 55–66", False),
        ("C. Elm (ed.), Proceedings of the Conference on Maps, Paris, 2018", True),
        ("Elm, C. (2018). Proceedings of the Conference on Maps. Paris: ACM, 320 pp.", True),
        ("C. Elm, “Proceedings of the Conference on Maps,” J. Maps, vol. 2, pp. 3–19, 2018", True),
        ("Zoe, M. Reading old maps, in ‘Proceedings of the Conference on Maps’, Paris, 2018, pp. 55–66", False),
    ],
)
def test_a_paper_of_proceedings_is_not_taken_for_all_of_them(entry: str, is_named: bool) -> None:
    assert ("Proceedings of the Conference on Maps" in {paper.title for paper in readings(entry)}) == is_named
    assert readings("Proceedings of the Conference on Maps, pp. 5–6")


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("Yew, U. Reports on the state of roads; 1999", "Reports on the state of roads"),
        ("Fir O. Attention to small forests; 2017. Technical report.", "Attention to small forests"),
        (
            "Oak, E. Trends in forests; 2010 update of the survey. Acta, 3.",
            "Trends in forests; 2010 update of the survey",
        ),
        ("Knuth D., 1997, The Art of Long Programs, third edn. Addison, Boston", "The Art of Long Programs"),
        ("Knuth, D. 1997, The Art of Long Programs, 3rd edn. (Boston: Addison)", "The Art of Long Programs"),
        ("Knuth, D. The Art of Long Programs, 3rd ed.; Addison: Boston, 1997", "The Art of Long Programs"),
    ],
)
def test_neither_edition_nor_date_is_part_of_a_title(entry: str, title: str) -> None:
    assert title in {paper.title for paper in readings(entry)}


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        (
            "Doe J, Roe A. Are we there yet? Results of the ABC trial. Lancet. 2010;3:1-9.",
            "Are we there yet? Results of the ABC trial",
        ),
        ("Doe, J. (2010). Genes (OPRM1) do not (yet) act. Acta, 3, 1–9.", "Genes (OPRM1) do not (yet) act"),
        ("Doe, J. (2010a) Camps (2007-2009): what was found. Acta, 3, 1–9.", "Camps (2007-2009): what was found"),
        ("J. Doe. Bracers as 'process objects'. Acta, 3(1):1–9, 2010.", "Bracers as 'process objects'"),
        ("Doe, J., 2020. Villages in industry 4.0. Acta, 3(1), pp.1-9.", "Villages in industry 4.0"),
        ('J. Doe, “On the "bulwark" of lakes,” Acta, vol. 3, pp. 1–9, 2010.', 'On the "bulwark" of lakes'),
        ("Doe, J. (Ed.). (2009). Tongues of the lakes (16th ed.). Acta.", "Tongues of the lakes"),
        ("al-Doe, Z., Roe, A. & Poe, E. Marbles of the lakes. Acta 3, 1–9 (2010).", "Marbles of the lakes"),
        ("Doe J, Roe A. Tea vs. coffee in mice. Acta. 2010;3:1-9.", "Tea vs. coffee in mice"),
    ],
)
def test_questions_brackets_quotation_marks_and_versus_stand_in_titles(entry: str, title: str) -> None:
    assert title in {paper.title.strip(" .") for paper in readings(entry)}


def test_what_refers_to_an_entry_above_is_no_entry():
    first, other = "Roe, A. (2001). Of trees. Acta, 3.", "Ibidem, A. (2002). Ibid. and other words. Acta, 4."
    assert entries(f"[1] {first}\n[2] Ibid., p. 3.\n[3] {other}\n[4] Roe, op. cit., 12.\n") == [first, other]


def test_nothing_is_no_entry():
    assert entries(" \n ") == []


@pytest.mark.parametrize("address", ["", "doi: ", "https://doi.org/"])
def test_a_doi_with_signs_of_markup_is_read_whole(address: str) -> None:
    entry = (
        f"Lorenz, E. N. (1963). Flow. J. Atmos. Sci., 20, 130. {address}10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2."
    )
    assert readings(entry)[0] == Paper(
        "10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2", "", doi="10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2"
    )


@pytest.mark.parametrize(
    ("entry", "year"),
    [
        ("Doe, A. (2001). Of 1984 trees. Acta, 3, 1999-2010. https://doi.org/10.1000/2020.1995", 2001),
        ("Doe, A. (2001a, May). Of trees.", 2001),
        ("[3] A. Doe, “Of trees,” Acta, vol. 3, no. 2, pp. 1901–1909, May 2001.", 2001),
        ("Doe A, Roe B. Of trees. Acta 2001;3(2):1985-9.", 2001),
        ("A. Doe. Of trees. doi:10.1000/acta.2015.3", None),
        ("Doe, A. (in press). Of trees.", None),
        ("Darwin, C. 1859. On the origin of species. London: Murray.", 1859),
        ("Doe, A. Of trees. arXiv:2005.12345, 2020", 2020),
        ("Doe A. Of trees. Acta. 2010;3(2):98-105. Epub 2009 Dec 8.", 2010),
        ("WHO. Of trees [Internet]. Geneva: WHO; 2014 [cited 2018 Feb 12]. Available from: www.who.int/x", 2014),
        ("WHO. Of trees. https://www.who.int/x. Accessed February 12, 2018.", 2018),
        ("Doe A, Trees of 1998 updated for Europe, Journal of Forestry 11, 1633-1644, 2007", 2007),
    ],
)
def test_the_year_of_a_printed_entry(entry: str, year: int | None) -> None:
    assert year_of(entry) == year


@pytest.mark.parametrize(
    ("item", "named"),
    [
        (
            r"\bibfield {author} {\bibinfo {author} {J.~P.\ Perdew}}, "
            r"\href {https://doi.org/10.1103/PhysRevLett.77.3865} {\bibfield {journal} "
            r"{\bibinfo {journal} {Phys. Rev. Lett.} }\textbf {\bibinfo {volume} {77}}, "
            r"\bibinfo {pages} {3865} (\bibinfo {year} {1996})}",
            "10.1103/physrevlett.77.3865",
        ),
        (r"A. Roe, A matter of many words, 2001. \url{https://doi.org/10.1000/a_b%2Fc} % a remark", "10.1000/a_b/c"),
        (r"A. Roe, \href{https://dx.doi.org/10.1000/ab}{A matter of many words}, 2001.", "10.1000/ab"),
        (r"A. Roe, \emph{A matter}, \href{http://arxiv.org/abs/1706.03762}{arXiv}, 2001.", "1706.03762"),
        (r"A. Roe, A matter, 2001. \url{https://a.org/roe%20jane.pdf}", ""),
    ],
)
def test_links_of_a_printed_list_name_its_works_in_the_text_and_beside_it(item: str, named: str) -> None:
    listed = rf"\begin{{thebibliography}}{{9}}\bibitem{{roe}} {item}{chr(10)}\end{{thebibliography}}"
    text = r"\documentclass{article}\title{T}\begin{document}\cite{roe}, see \url{https://doi.org/10.1000/x}. "
    within = read_manuscript(f"{text}{listed} \\url{{https://doi.org/10.1000/y}} ends.\\end{{document}}".encode())
    beside = read_manuscript(zipped({"main.tex": text + r"Ends.\end{document}", "main.bbl": listed}))
    for found in (within, beside):
        (entry,) = found.cited
        assert {paper.doi or paper.arxiv for paper in entry.readings} - {""} == {named} - {""}
        assert "doi.org" not in " ".join(sentence.text for sentence in found.sentences())
