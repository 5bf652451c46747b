// Folders that are chosen or dropped: their files, without what can be no part of a manuscript.

const LATEX = /\.(?:tex|typ|ltx|latex|sty|bib|bbl)$/i;
const OTHER = /\.(?:qmd|rmd|md|markdown|ipynb|ris|json|csljson|ya?ml|doc[xm]|odt|pdf)$/i;
const CLUTTER = /(?:^|\/)(?:\.|~\$|__MACOSX\/|node_modules\/)/;
const MOST = 3000; // files; the server takes no more

/** Those that a manuscript is made of: no pictures, and of a folder no data; where there are none, what there is. */
export function partsOf(files) {
  const clean = files.filter(({ path }) => !CLUTTER.test(path));
  const isLatex = clean.some(({ path }) => /\.(?:tex|ltx|latex)$/i.test(path));
  const parts = clean.filter(({ file, path }) => {
    if (!path.includes("/")) return !/^(image|audio|video)/.test(file.type);
    return LATEX.test(path) || (!isLatex && OTHER.test(path));
  });
  return [parts, clean, files.slice(0, 1)].find((some) => some.length).slice(0, MOST);
}

/** The files that were dropped, those of folders with their paths. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  const path = entry.fullPath.replace(/^\//, "");
  if (found.length >= 20 * MOST || CLUTTER.test(path)) return;
  if (entry.isFile) {
    found.push({ file: await new Promise((resolve, reject) => { entry.file(resolve, reject); }), path });
    return;
  }
  const reader = entry.createReader();
  for (;;) { // a hundred at a time
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!some.length) return;
    for (const one of some) await walk(one, found);
  }
}
