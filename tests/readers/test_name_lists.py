"""Lists of people in one text: tables that people make, `authors` of our own lines, and fields of BibTeX."""

import pytest

from .helpers import json_lines, read, write

LISTS = [
    # Full names.
    ("John Smith, Jane Doe, and Richard Roe", ("John Smith", "Jane Doe", "Richard Roe")),
    ("John Smith, Jane Doe & Richard Roe", ("John Smith", "Jane Doe", "Richard Roe")),
    ("Ann Bo, Cy Du, Ed Fo, and Gus Ho", ("Ann Bo", "Cy Du", "Ed Fo", "Gus Ho")),
    ("Ann Mary Bo, Devvrit, Cy Du, and Ed Fo", ("Ann Mary Bo", "Devvrit", "Cy Du", "Ed Fo")),
    ("Donald E. Knuth, Jane Doe", ("Donald E. Knuth", "Jane Doe")),
    ("John Smith & Jane Doe", ("John Smith", "Jane Doe")),
    ("J. P. Smith & A. Doe", ("J. P. Smith", "A. Doe")),
    ("J. Smith, A. Doe and B. Roe", ("J. Smith", "A. Doe", "B. Roe")),
    ("John Smith, Anna Doe, Bill van Roe", ("John Smith", "Anna Doe", "Bill van Roe")),
    (r"John Smith \& Jane Doe", ("John Smith", "Jane Doe")),
    ("Wei LI, Jean DUPONT, Ann ROE", ("Wei LI", "Jean DUPONT", "Ann ROE")),
    # Initials behind the family name.
    ("Smith J & Doe J", ("J Smith", "J Doe")),
    ("Smith J, Doe J and Roe R", ("J Smith", "J Doe", "R Roe")),
    ("Smith J, and Doe J", ("J Smith", "J Doe")),
    ("Smith JA, King ML Jr, van der Berg R.-B.", ("JA Smith", "ML King Jr", "R.-B. van der Berg")),
    ("Roe IV, Smith JA, Doe II", ("I.V. Roe", "JA Smith", "I.I. Doe")),
    ("Smith J.A., Roe I.V.", ("J.A. Smith", "I.V. Roe")),
    ("Smith J.A., Kessler P.A.H.W., Doe J", ("J.A. Smith", "P.A.H.W. Kessler", "J Doe")),
    ("Smith J.A., Kessler PAHW, Doe J", ("Smith J.A.", "Kessler PAHW", "Doe J")),
    ("McNeil JJ, Nelson MR, Woods RL.", ("JJ McNeil", "MR Nelson", "RL Woods")),
    ("Glorot X, Bengio Y", ("X Glorot", "Y Bengio")),
    ("D Bahdanau, K Cho, Y Bengio", ("D Bahdanau", "K Cho", "Y Bengio")),
    ("Wu A, Li B", ("A Wu", "B Li")),
    ("A B, C D", ("B A", "D C")),
    ("Li X., Wang Y.", ("X. Li", "Y. Wang")),
    ("van der Aalst W, García J", ("W van der Aalst", "J García")),
    ("Иванов А.Б., Петров В.", ("А.Б. Иванов", "В. Петров")),
    ("Smith J, Doe J, World Health Organization", ("J Smith", "J Doe", "World Health Organization")),
    ("Li X, Wang Y and World Health Organization", ("X Li", "Y Wang", "World Health Organization")),
    # Family names first.
    ("Doe, Jane", ("Jane Doe",)),
    ("García López, María José", ("García López, María José",)),
    ("Smith, John and Doe, Jane", ("John Smith", "Jane Doe")),
    ("Smith, John, and Doe, Jane", ("John Smith", "Jane Doe")),
    ("García López, María José and Pérez Ruiz, Ana", ("García López, María José", "Pérez Ruiz, Ana")),
    ("López Vega, Ana M.; Roe, J.; Van Dam, Bo T.", ("López Vega, Ana M.", "J. Roe", "Van Dam, Bo T.")),
    ("López Vega, Ana M.", ("López Vega, Ana M.",)),
    ("van der Berg, Jan and de la Cruz, Ana", ("Jan van der Berg", "Ana de la Cruz")),
    ("Smith, J; Doe, J; and Roe, R", ("J Smith", "J Doe", "R Roe")),
    ("Smith, John &amp; M&#252;ller, Anna", ("John Smith", "Anna Müller")),
    (r"Smith, J. \\& Doe, A.", ("J. Smith", "A. Doe")),
    ("Smith, J., Doe, A. and Roe, B.-C.", ("J. Smith", "A. Doe", "B.-C. Roe")),
    ("Smith, J., World Bank, Doe, A.", ("J. Smith", "World Bank", "A. Doe")),
    ("von Neumann, John Louis and Roe, Jane", ("John Louis von Neumann", "Jane Roe")),
    ("García M., José A. and Pérez, Luis", ("García M., José A.", "Luis Pérez")),
    ("Smith, J., Doe, A., & Roe, B.", ("J. Smith", "A. Doe", "B. Roe")),
    ("Smith, John, Doe, Jane, and Roe, Richard", ("John Smith", "Jane Doe", "Richard Roe")),
    ("Smith, John, Jane Doe, and Richard Roe", ("John Smith", "Jane Doe", "Richard Roe")),
    ("Smith, John and Jane Doe and de la Cruz, Ana", ("John Smith", "Jane Doe", "Ana de la Cruz")),
    ("J. Smith and Doe, Jane", ("J. Smith", "Jane Doe")),
    ("van den Oord, Aaron, Yazhe Li, and Bo Li", ("Aaron van den Oord", "Yazhe Li", "Bo Li")),
    # Lists that go on.
    ("Smith J, Doe J, et al.", ("J Smith", "J Doe", "others")),
    ("Smith JA, Cruz M, Roe R, et al.", ("JA Smith", "M Cruz", "R Roe", "others")),
    ("Smith J.; Doe J.; et al.", ("J. Smith", "J. Doe", "others")),
    ("Smith, John; Doe, Jane; ...", ("John Smith", "Jane Doe", "others")),
    ("Smith, J., Doe, A., … Roe, B.", ("J. Smith", "A. Doe", "B. Roe", "others")),
    ("AB Roe, C Doe…", ("AB Roe", "C Doe", "others")),
    ("Smith, J. & others", ("J. Smith", "others")),
    ("Smith, John and Others", ("John Smith", "others")),
    # Suffixes.
    ("Robert W. Hill, Jr. and Roe, Jane", ("Robert W. Hill Jr.", "Jane Roe")),
    ("King, Jr., Martin Luther and Roe, III, B.", ("Martin Luther King Jr.", "B. Roe III")),
    ("Doe, Esq., John and John Doe Esq.", ("John Doe Esq.", "John Doe Esq.")),
    ("Martin Luther King Jr and John Doe 3rd", ("Martin Luther King Jr", "John Doe 3rd")),
    ("King, Jr., Martin and Smith, John", ("Martin King Jr.", "John Smith")),
    ("Martin King, Jr., John Smith, and Ann Roe", ("Martin King Jr.", "John Smith", "Ann Roe")),
    ("John Smith III and Jane Doe", ("John Smith III", "Jane Doe")),
    ("Smith, John A., MD; Doe, Jane, PhD", ("Smith, MD, John A.", "Doe, PhD, Jane")),
    ("Smith, John, V; Doe, Jane A., I; Nguyen, V", ("John V Smith", "Jane A. I Doe", "V Nguyen")),
    ("Smith, John, MD", ("Smith, MD, John",)),
    ("Smith, John, and Doe, MD", ("John Smith", "MD Doe")),
    ("Smith Jr., John; Doe, Jane", ("John Smith Jr.", "Jane Doe")),
    ("Dios Vega, JR; Roe, SR", ("Dios Vega, J. R.", "SR Roe")),
    ("King, Martin, Jr. and Poe, MD, Jr.", ("Martin King Jr.", "MD Poe Jr.")),
    ("Nguyen V, Smith I", ("V Nguyen", "I Smith")),
    # One name only.
    ("Plato", ("Plato",)),
    ("Smith & Doe", ("Smith", "Doe")),
    # Scripts whose names begin with the family name.
    ("张伟, 李娜, 王芳", ("张伟", "李娜", "王芳")),
    ("山田, 太郎", ("山田 太郎",)),
    # "and" in other languages, which family names may have, too.
    ("Müller, Hans und Schmidt, Anna", ("Hans Müller", "Anna Schmidt")),
    ("Pérez J, Gómez A y Ruiz B", ("J Pérez", "A Gómez", "B Ruiz")),
    ("Santiago Ramón y Cajal", ("Santiago Ramón y Cajal",)),
    ("Moore, E., y Arcas, B. A.", ("E. Moore", "B. A. y Arcas")),
    ("Ramón y Cajal, Santiago", ("Ramón y Cajal, Santiago",)),
    # Organisations.
    ("Johnson & Johnson", ("Johnson & Johnson",)),
    ("Smith, J.; Johnson & Johnson", ("J. Smith", "Johnson & Johnson")),
    ("John Wiley & Sons", ("John Wiley & Sons",)),
    ("National Heart, Lung, and Blood Institute", ("National Heart, Lung, and Blood Institute",)),
    ("Academies of Sciences, Engineering, and Medicine", ("Academies of Sciences, Engineering, and Medicine",)),
    ("J. Smith and World Health Organization", ("J. Smith", "World Health Organization")),
    ("World Health Organization and Smith, John", ("World Health Organization", "John Smith")),
    ("Smith, John and World Health Organization", ("John Smith", "World Health Organization")),
    ("World Health Organization, and Jane Doe", ("World Health Organization", "Jane Doe")),
    ("{World Bank}, ", ("{World Bank}",)),
    ('{M{\\"u}ller}, J. and Johnson \\& Johnson', ("J. Müller", "Johnson & Johnson")),
    ("Smith, Jr., J. and {Smith, Doe; Partners & Co}", ("J. Smith Jr.", "Smith, Doe; Partners & Co")),
    ("{World Bank} and Smith, John", ("{World Bank}", "John Smith")),
    ("{Smith, Doe; Partners and Co}; Doe, J.", ("Smith, Doe; Partners and Co", "J. Doe")),
    # What names nobody.
    (" ; ", ()),
]
# What BibTeX understands otherwise, or has no words for.
NOT_IN_BIBTEX = [
    ("John Smith, Jane Doe and Richard Roe", ("John Smith", "Jane Doe", "Richard Roe")),
    ("Ludwig van Beethoven, Jan van der Berg and Bo Li", ("Ludwig van Beethoven", "Jan van der Berg", "Bo Li")),
    ("SMITH J AND DOE J", ("J SMITH", "J DOE")),
    ("Freund Y and Schapire RE", ("Y Freund", "RE Schapire")),
    ("Doe J [et al.]", ("J Doe", "others")),
    ("Smith, Doe and Roe", ("Smith", "Doe", "Roe")),
    ("John Smith, Jane Doe and Plato", ("John Smith", "Jane Doe", "Plato")),
    ("张伟；李娜", ("张伟", "李娜")),
    ("山田太郎、鈴木花子", ("山田太郎", "鈴木花子")),
    ("Hans Müller und Anna Schmidt", ("Hans Müller", "Anna Schmidt")),
    ("Jean Dupont, Anne Petit et Marie Curie", ("Jean Dupont", "Anne Petit", "Marie Curie")),
    ("Research and Development Group", ("Research and Development Group",)),
    ("Department of Health and Human Services", ("Department of Health and Human Services",)),
    ("Centers for Disease Control and Prevention", ("Centers for Disease Control and Prevention",)),
    ("Diabetes Control and Complications Trial Group", ("Diabetes Control and Complications Trial Group",)),
    ("&", ()),
]


@pytest.mark.parametrize(("written", "meant"), LISTS + NOT_IN_BIBTEX)
def test_lists_of_people_are_parted_as_they_are_meant(tmp_path, written, meant):
    quoted = written.replace('"', '""')
    files = {
        "a.csv": f'Title;Authors\nOne;"{quoted}"\n',
        "a.jsonl": json_lines({"id": "a", "title": "One", "authors": written}),
        "b.jsonl": json_lines({"_id": "a", "title": "One", "n_citation": 1, "authors": written}),  # AMiner
    }
    if (written, meant) in LISTS:
        files["a.bib"] = f"@misc{{k, title={{One}}, author={{{written}}}}}"
    for name, text in files.items():
        (paper,) = read(write(tmp_path / name, text))[0].values()
        assert paper.authors == meant
