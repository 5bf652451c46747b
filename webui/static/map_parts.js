// What the map is made of: which papers, their names, symbols and lines.

/** A paper at length. */
export const described = ({ title, byline }) => [title, byline].filter(Boolean).join(" · ");

/** Whether a paper is of the years, and its title or byline has the words, that are in the fields of a filter. */
export function keeps(paper, [from, to, words]) {
  const [first, last] = [Number(from.value) || 0, Number(to.value) || Infinity];
  const dated = (!first && last === Infinity) || (paper.year !== null && paper.year >= first && paper.year <= last);
  const text = `${paper.title} ${paper.byline}`.toLowerCase();
  return dated && words.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** What stands below a paper. */
export const nameOf = ({ mark, name }) => (mark ? `${mark} ${name}` : name);

/** The same, for voices and for who speaks to the page; once where it is how the title begins. */
export const spoken = (paper) => (paper.title.startsWith(paper.name.replace("…", "")) ? paper.mark : nameOf(paper));

export const circle = (r) => `M${-r},0A${r},${r},0,1,1,${r},0A${r},${r},0,1,1,${-r},0Z`;
export const diamond = (r) => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0Z`;
export const CHECK = "M-4,0L-1,3.5L4.5,-3.5";

/** A line that swings out to one side, so that those of one column can be told apart. */
export function curve({ source, target }) {
  const [across, down] = [target.x - source.x, target.y - source.y];
  const x = source.x + across / 2 - (across ? 0 : 0.4 * Math.abs(down));
  const y = source.y + down / 2 + (across ? Math.sign(down || -1) * Math.min(0.16 * Math.abs(across), 60) : 0);
  return `M${source.x},${source.y}Q${x},${y},${target.x},${target.y}`;
}
