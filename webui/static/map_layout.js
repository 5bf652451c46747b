// Where the papers of the map stand: the year decides how far to the right, forces decide the height.
import { forceLink, forceSimulation, forceY } from "./d3.js";

const LABEL = 78; // units that a name takes across
const LINE = 15; // and down
const MARGIN = 48;
const LONGEST_GAP = 3; // years that a gap between papers is drawn as, at most
const WIDEST_YEAR = 110; // units
const STEPS = 220;

/** Half of the size of a paper's symbol, in units: its area grows with the citations. */
const radius = (paper, most) => 6 + 12 * Math.sqrt(paper.citations / Math.max(most, 1));

/** Years from left to right as [x, year]; year null, for papers of which it is unknown, comes first. */
export function columns(papers, width) {
  const years = [...new Set(papers.map((paper) => paper.year))].sort((a, b) => (a ?? 0) - (b ?? 0));
  let steps = 0;
  const places = years.map((year, place) => {
    if (place) steps += years[place - 1] === null ? 1 : Math.min(year - years[place - 1], LONGEST_GAP);
    return [steps, year];
  });
  const unit = Math.min((width - 2 * MARGIN) / Math.max(steps, 1), WIDEST_YEAR);
  return places.map(([step, year]) => [MARGIN + step * unit, year]);
}

/** Pushes papers apart, up and down, whose symbols or names would overlap. */
function apart() {
  let all = [];
  function push(strength) {
    for (let first = 0; first < all.length; first += 1) {
      for (let second = first + 1; second < all.length; second += 1) {
        const [a, b] = [all[first], all[second]];
        if (Math.abs(a.x - b.x) > Math.max(LABEL, a.r + b.r)) continue;
        const way = b.y - a.y;
        const missing = a.r + b.r + LINE - Math.abs(way);
        if (missing <= 0) continue;
        const shift = (way < 0 ? -1 : 1) * missing * strength;
        a.y -= shift;
        b.y += shift;
      }
    }
  }
  const force = () => push(0.3);
  force.initialize = (papers) => { all = papers; };
  force.finish = () => { for (let round = 0; round < 60; round += 1) push(0.5); };
  return force;
}

/**
 * Give papers x, y and r, in units; those that have a place begin there.
 * `moved` is called at every step where the way there is to be seen; without it, papers are at their places at once.
 */
export function layOut(papers, citations, width, moved = null) {
  const most = Math.max(...papers.map((paper) => paper.citations));
  const places = new Map(columns(papers, width).map(([x, year]) => [year, x]));
  for (const paper of papers) {
    paper.r = radius(paper, most);
    paper.fx = places.get(paper.year);
    paper.x = paper.fx;
  }
  const overlap = apart();
  const simulation = forceSimulation(papers)
    .force("citations", forceLink(citations).id((paper) => paper.id).strength(0.04))
    .force("middle", forceY(0).strength(0.06))
    .force("apart", overlap)
    .alphaDecay(1 - 0.001 ** (1 / STEPS))
    .stop();
  if (!moved) {
    simulation.tick(STEPS);
    overlap.finish();
  } else {
    simulation.on("tick", moved).on("end", () => { overlap.finish(); moved(); }).alpha(0.5).restart();
  }
  return simulation;
}
