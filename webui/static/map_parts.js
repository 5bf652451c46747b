// What the map is made of: elements, symbols, lines, and how it is used in words.

export const HELP = "Circles are papers of the list with their ranks, diamonds those of your question; dashed ones were "
  + "added, filled ones with a check mark are selected. Larger ones are cited more often in this index. Lines join papers "
  + "of which one cites the other. Click a paper for its title, and again to select it. On the keyboard: arrows to go "
  + "from paper to paper, Enter to select, E to add what it cites and what cites it, + and − for the size.";

/** A paper at length. */
export const described = ({ title, byline }) => [title, byline].filter(Boolean).join(" · ");

/** What stands below a paper. */
export const nameOf = ({ mark, name }) => (mark ? `${mark} ${name}` : name);

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
