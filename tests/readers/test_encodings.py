"""Text in any encoding is read as it was meant, and what had to be guessed is told."""

import pytest

from .helpers import json_lines, read, write


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_any_unicode_encoding_is_read(tmp_path, encoding):
    text = json_lines({"id": "p", "title": "x"}) + '{"id": "q", "title": "Göttingen – 東京"}'
    papers, report = read(write(tmp_path / "a.jsonl", text.encode(encoding)))
    assert papers["q"].title == "Göttingen – 東京"
    assert report.replaced_bytes == 0


def test_what_is_not_in_utf8_is_read_as_windows_1252_and_counted(tmp_path):
    line = '{"id": "p", "title": "Göttingen, genuine \ufffd"}'
    _, clean_report = read(write(tmp_path / "good.jsonl", line))
    papers, report = read(write(tmp_path / "bad.jsonl", line.encode().replace("ö".encode(), b"\xf6")))
    assert papers["p"].title == "Göttingen, genuine \ufffd"
    assert (clean_report.replaced_bytes, report.replaced_bytes) == (0, 1)
    (problem,) = map(str, report.problems)
    assert problem.startswith(f"{tmp_path}/bad.jsonl: not in UTF-8: 1 character, read as Windows-1252;")


def test_a_bibliography_in_latin_1_keeps_its_umlauts_in_fields_and_in_the_entry(tmp_path):
    entry = "@article{k,\n  author = {Müller, Jörg},\n  title = {Über “Höhenlinien”},\n}"
    papers, _ = read(write(tmp_path / "old.bib", entry.encode("cp1252")))
    assert (papers["k"].authors, papers["k"].title) == (("Jörg Müller",), "Über “Höhenlinien”")
    assert entry in papers["k"].original.text


def test_character_cut_by_a_chunk_is_whole(tmp_path):
    title = "é" * 1000
    text = json_lines(*({"id": str(i), "title": "x" * (i % 7) + title} for i in range(600)))
    text = text.replace("\\u00e9", "é")
    papers, report = read(write(tmp_path / "a.jsonl", text))
    assert all(paper.title.endswith(title) for paper in papers.values())
    assert report.replaced_bytes == 0


JAPANESE = "河川における水質の変化に関する研究\n都市の森と気候のモデル\nニューラル検索による論文推薦"


RUSSIAN = "Качество воды в реках России\nГородской лес и климат\nПоиск научных статей"


GREEK = "Η ποιότητα των υδάτων στα ποτάμια\nΤο δάσος της πόλης\nΑναζήτηση επιστημονικών άρθρων"


@pytest.mark.parametrize(
    ("encoding", "name", "titles"),
    [
        ("cp932", "Shift_JIS", JAPANESE),
        ("euc_jp", "EUC-JP", JAPANESE),
        ("gb18030", "GB 18030", "长江流域水质变化及其影响因素研究\n城市森林与气候模型\n基于深度学习的论文推荐方法"),
        ("big5", "Big5", "臺灣河川水質變化之研究\n都市森林與氣候模式\n以深度學習推薦論文的方法"),
        ("cp949", "EUC-KR", "하천의 수질 변화에 관한 연구\n도시 숲과 기후 모형\n딥러닝 기반 논문 추천 방법"),
        ("cp1251", "Windows-1251", RUSSIAN),
        ("koi8_r", "KOI8-R", RUSSIAN),
        ("cp1253", "Windows-1253", GREEK),
        ("cp1250", "Windows-1250", "Jakość wód w polskich rzekach\nHáj: Využití učení při řízení měst\nAz erdő"),
        ("iso8859_2", "ISO 8859-2", "Jakość wód w rzekach\nMiejskie lasy i zmiany społeczne\nŹródła i użytki"),
        ("cp1254", "Windows-1254", "Şehir ormanlarının iklim üzerindeki etkisi\nIşık ve ağaç\nTürkçe öğrenimi"),
        ("cp1257", "Windows-1257", "Klimato kaitos įtaka žemės ūkiui\nMiestų želdynai\nŠaltinių paieška"),
        ("cp874", "Windows-874", "คุณภาพน้ำในแม่น้ำ\nป่าในเมืองกับสภาพอากาศ\nการค้นหาบทความ"),
        ("mac_roman", "Mac Roman", "Über die Güte der Gewässer\nLa forêt à l'été\nLos pájaros y el río"),
    ],
)
def test_older_encodings_of_other_languages_are_told_and_named(tmp_path, encoding, name, titles):
    entries = [
        f"TY  - JOUR\nID  - {n}\nTI  - {title}\nAB  - In English.\nER  - \n"
        for n, title in enumerate(titles.split("\n"))
    ]
    papers, report = read(write(tmp_path / "old.ris", "\n".join(entries).encode(encoding)))
    assert "\n".join(paper.title for paper in papers.values()) == titles
    (problem,) = map(str, report.problems)
    assert f"characters, read as {name}; where they are wrong, save it as UTF-8" in problem


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
@pytest.mark.parametrize(
    "text",
    [
        "Über die Gewässer – Größen, «Maße» und Öle; à l'été, où naïf; España y mañana; Ångström på ön",
        "Naïve models" + 60 * "—" + "“a review”",
        "Læring og fællesskab på de københavnske skoler: hvor går grænsen?",
        "Educação e condições de aprendizagem nas regiões não metropolitanas",
        "La qualità della vita nelle città: perché no, così è più giù",
        "Íslensk málfræði og þróun hljóða eftir Þórð Ágústsson",
        "Õpilaste sõnavara ja keeleoskus: põhikooli näide",
        "Dvorák and Erdös",
    ],
)
def test_western_text_is_taken_for_no_other(tmp_path, encoding, text):
    papers, _ = read(write(tmp_path / "a.ris", f"TY  - JOUR\nID  - 1\nTI  - {text}\nER  - \n".encode(encoding)))
    assert papers["1"].title == text


def test_files_in_two_encodings_that_were_put_together_are_read_in_both(tmp_path):
    titles = [
        "A reader’s “waves”",
        "Birds’ songs – a study",
        "Über Größe",
        "Doe’s list — revised",
        "“Deep” nets’ names",
    ]
    entries = [f"TY  - JOUR\nID  - {n}\nTI  - {title}\nER  - \n" for n, title in enumerate(titles * 2)]
    data = b"".join(map(str.encode, entries[:4])) + b"".join(entry.encode("cp1252") for entry in entries[4:])
    papers, _ = read(write(tmp_path / "a.ris", data))
    assert [paper.title for paper in papers.values()] == titles * 2


def test_text_in_english_hides_no_encoding_of_old_macs_whose_lines_end_in_returns(tmp_path):
    title = "Über die Güte der Gewässer: la forêt à l'été"
    rest = "".join(f"TY  - JOUR\nID  - {n}\nTI  - In English\nER  - \n" for n in range(4_000))
    text = f"{rest}TY  - JOUR\nID  - a\nTI  - {title}\nER  - \n".replace("\n", "\r")
    papers, _ = read(write(tmp_path / "a.ris", text.encode("mac-roman")))
    assert papers["a"].title == title


def test_utf8_stays_so_where_the_first_letter_beyond_ascii_is_cut_between_two_readings(tmp_path):
    start = "TY  - JOUR\nID  - 1\nTI  - "
    text = start.ljust((1 << 18) - 3, "a") + "\N{GRINNING FACE}\nER  - \nTY  - JOUR\nID  - 2\nTI  - Größe\nER  - \n"
    papers, report = read(write(tmp_path / "a.ris", text.encode()))
    assert (papers["2"].title, report.replaced_bytes) == ("Größe", 0)


def test_utf8_that_is_damaged_in_one_place_stays_utf8(tmp_path):
    text = "TY  - JOUR\nID  - 1\nTI  - Качество воды в реках России, 河川の水質\nER  - \n".encode()
    papers, report = read(write(tmp_path / "a.ris", text.replace("воды".encode(), "воды".encode()[1:])))
    assert papers["1"].title.startswith("Качество ")
    assert papers["1"].title.endswith(" в реках России, 河川の水質")
    assert "read as Windows-1252" in str(report.problems[0])
