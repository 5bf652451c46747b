"""Articles as XML, as archives of journals and GROBID have them."""

JATS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.3 20210610//EN" "JATS-archivearticle1-3.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"
 article-type="research-article" xml:lang="en">
<front><journal-meta><journal-id journal-id-type="nlm-ta">J Things</journal-id>
<journal-title-group><journal-title>Journal of Things</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">31000001</article-id><article-id pub-id-type="pmc">PMC6000001</article-id>
<article-id pub-id-type="doi">10.1371/Journal.Things.0001</article-id>
<title-group><article-title>Effects of CO<sub>2</sub> on <italic>E. coli</italic><xref ref-type="fn">*</xref>
</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Müller</surname><given-names>Jörg A</given-names></name>
<xref ref-type="aff" rid="a1">1</xref></contrib><contrib contrib-type="author"><collab>The Group</collab></contrib>
<contrib contrib-type="editor"><name><surname>Itor</surname><given-names>Ed</given-names></name></contrib></contrib-group>
<pub-date pub-type="epub"><day>3</day><month>12</month><year>2018</year></pub-date>
<pub-date pub-type="collection"><year>2019</year></pub-date>
<volume>14</volume><issue>3</issue><elocation-id>e0213456</elocation-id>
<abstract abstract-type="graphical"><p>A picture.</p></abstract>
<abstract><title>Abstract</title><sec><title>Aim</title><p>To see.</p></sec><sec><title>Results</title><p>Seen
<inline-formula><alternatives><tex-math>x</tex-math></alternatives></inline-formula>.</p></sec></abstract>
<trans-abstract xml:lang="de"><p>Zu sehen.</p></trans-abstract></article-meta></front>
<body><sec><title>Introduction</title><p>Text <xref ref-type="bibr" rid="b1">[1]</xref>.</p></sec></body>
<back><ref-list><title>References</title>
<ref id="b1"><label>1</label><element-citation publication-type="journal"><person-group person-group-type="author">
<name><surname>Doe</surname><given-names>J</given-names></name></person-group><article-title>With a DOI</article-title>
<source>Things</source><year>2001</year><volume>12</volume><fpage>345</fpage><lpage>50</lpage>
<pub-id pub-id-type="doi">10.1000/JATS.2</pub-id><pub-id pub-id-type="pmid">11000002</pub-id></element-citation></ref>
<ref id="b2"><mixed-citation publication-type="journal"><string-name><surname>Roe</surname>, <given-names>R.</given-names>
</string-name> (<year>1999</year>). <article-title>By its place.</article-title> <source>Things</source>
<volume>7</volume>, <fpage>17</fpage>.</mixed-citation></ref>
<ref id="b3"><mixed-citation>Poe P. Plain text. Things 2003. doi:10.1000/jats.plain.</mixed-citation></ref>
</ref-list></back></article>
"""

JATS_OLDER = """<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/"><front><journal-meta/><article-meta>
<title-group><article-title>By its place</article-title></title-group><contrib-group><contrib><name><surname>Roe</surname>
<given-names>Richard</given-names></name></contrib></contrib-group><pub-date><year>1999</year></pub-date>
<volume>7</volume><fpage>17</fpage></article-meta></front></article>
"""

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
<teiHeader xml:lang="en"><fileDesc><titleStmt><title level="a" type="main">A Title of Things</title></titleStmt>
<publicationStmt><publisher/><date type="published" when="2020-05-03">3 May 2020</date></publicationStmt>
<sourceDesc><biblStruct><analytic>
<author role="corresp"><persName><forename type="first">Jörg</forename><forename type="middle">A</forename>
<surname>Müller</surname></persName><affiliation key="aff0"><orgName type="institution">U</orgName></affiliation></author>
<title level="a" type="main">A Title of Things</title><idno type="DOI">10.1000/TEI.1</idno></analytic>
<monogr><title level="j">Journal of Things</title><imprint><biblScope unit="volume">12</biblScope>
<biblScope unit="page" from="345" to="350"/><date type="published" when="2020-05-03">3 May 2020</date></imprint></monogr>
<idno type="MD5">0123456789ABCDEF0123456789ABCDEF</idno></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><div xmlns="http://www.tei-c.org/ns/1.0"><p><s>First sentence.</s><s>Second one.</s></p></div>
</abstract></profileDesc></teiHeader>
<text xml:lang="en"><body><div><head>Introduction</head><p>Text.</p></div></body><back><div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a" type="main">Another telling title of some length</title><author>
<persName><forename type="first">J</forename><surname>Doe</surname></persName></author></analytic><monogr>
<title level="j">Things</title><imprint><date type="published" when="2016">2016</date></imprint></monogr></biblStruct>
<biblStruct xml:id="b1"><monogr><title level="m">A book</title><author><persName><surname>Roe</surname></persName></author>
<imprint><date type="published" when="1999"/></imprint></monogr><idno type="DOI">10.1000/Tei.book</idno></biblStruct>
</listBibl></div></back></text></TEI>
"""
