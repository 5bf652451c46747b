// The map of a list: papers by year, citations between them, what is picked; drawn when it is opened.
import { select, zoom, zoomIdentity } from "./d3.js";
import { json, send } from "./events.js";
import { asPng, asSvg, save } from "./map_export.js";
import { columns, layOut } from "./map_layout.js";
import { CHECK, circle, curve, described, diamond, keeps, nameOf, spoken } from "./map_parts.js";
import { button, byId, made, modified, results, rowOf, still, writes } from "./page.js";
import { canPick, isPicked, pick } from "./picks.js";

const TALLEST = 620; // pixels
const STEP = 1.4; // of the buttons that make it larger and smaller
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEYS = { Enter: "toggle", " ": "toggle", e: "expand", "+": "larger", "-": "smaller", 0: "fit" };

class CitationMap {
  constructor(details) {
    this.details = details;
    const { papers, citations } = JSON.parse(details.dataset.map);
    this.papers = papers.map((paper) => ({ ...paper, picked: isPicked(paper) }));
    this.pairs = citations;
    this.current = this.papers[0];
    this.build();
    this.arrange();
    this.fit();
    this.listen();
  }

  build() {
    const view = this.details.querySelector(".map-view");
    view.replaceChildren(byId("map-parts").content.cloneNode(true));
    const [tools, svg, caption, actions, said] = view.children;
    Object.assign(this, { caption, actions, said });
    this.filter = tools.querySelectorAll("input");
    this.count = tools.querySelector("[role=status]");
    this.svg = select(svg);
    [this.drawing, this.years, this.edges, this.nodes] = [...svg.querySelectorAll("g")].map((part) => select(part));
    this.zoom = zoom().scaleExtent([0.2, 8])
      // One finger and the plain wheel scroll the page.
      .filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : event.touches?.length !== 1))
      .on("zoom", ({ transform }) => this.drawing.attr("transform", transform));
    this.svg.call(this.zoom).on("dblclick.zoom", null);
    const file = async (ending, blob) => save(await blob(this.drawing.node()), `citescout-map.${ending}`);
    this.commands = {
      larger: () => this.zoom.scaleBy(this.svg, STEP), smaller: () => this.zoom.scaleBy(this.svg, 1 / STEP),
      fit: () => this.fit(), svg: () => file("svg", asSvg), png: () => file("png", asPng),
      toggle: () => this.toggle(this.current), expand: () => this.expand(this.current),
    };
    tools.addEventListener("click", ({ target }) => this.commands[target.closest("button")?.value]?.());
    tools.addEventListener("input", () => this.draw());
    // The fields stand in the form of the list, which Enter would send.
    tools.addEventListener("keydown", (event) => { if (event.key === "Enter" && writes(event)) event.preventDefault(); });
    this.svg.on("keydown", (event) => this.press(event));
  }

  get width() {
    return this.svg.node().clientWidth || 700;
  }

  /** The papers that the filter leaves. */
  get shown() {
    return this.papers.filter((paper) => keeps(paper, this.filter));
  }

  /** Find places for all papers; where motion is wanted and there was a map before, they go there step by step. */
  arrange(before = false) {
    this.running?.stop();
    this.citations = this.pairs.map(([source, target]) => ({ source, target }));
    const moves = before && !still();
    this.running = layOut(this.papers, this.citations, this.width, moves ? () => this.place() : null);
    this.draw();
  }

  draw() {
    const shown = this.shown;
    const there = new Set(shown);
    if (!there.has(this.current)) this.current = shown[0] ?? this.current;
    this.count.textContent = shown.length < this.papers.length
      ? `${shown.length} of ${this.papers.length} papers` : `${shown.length} papers`;
    this.edges.selectAll("path").data(this.citations.filter(({ source, target }) => there.has(source) && there.has(target)))
      .join("path").attr("class", "edge");
    const nodes = this.nodes.selectAll(".node").data(shown, (paper) => paper.id).join((enter) => {
      const node = enter.append("g").attr("role", "option").attr("data-id", (paper) => paper.id);
      node.append("title");
      node.append("path").attr("class", "symbol");
      node.append("path").attr("class", "check").attr("d", CHECK);
      node.append("text").attr("class", "name");
      // The press already gives the focus, and with it the look.
      return node.on("pointerdown", () => { this.before = this.current; })
        .on("click", (_event, paper) => (paper === this.before ? this.toggle(paper) : this.look(paper)))
        .on("focus", (_event, paper) => { this.look(paper); this.reveal(paper); })
        .on("mouseenter", (_event, paper) => this.light(paper))
        .on("mouseleave", () => this.light(null));
    });
    nodes.select("title").text(described);
    nodes.select(".symbol").attr("d", (paper) => (paper.seed ? diamond : circle)(paper.r));
    nodes.select(".name").text(nameOf).attr("y", (paper) => paper.r * (paper.seed ? 1.3 : 1) + 12);
    this.marked();
    this.place();
  }

  /** What changes with the paper that is looked at, and with what is picked. */
  marked() {
    this.nodes.selectAll("[role=option]")
      .attr("class", (paper) => ["node", paper.seed && "seed", !paper.mark && "added", paper.picked && "picked",
        paper === this.current && "current"].filter(Boolean).join(" "))
      .attr("tabindex", (paper) => (paper === this.current ? 0 : -1))
      .attr("aria-selected", (paper) => String(paper.picked))
      .attr("aria-label", (paper) => [spoken(paper), paper.title, paper.byline, `cited ${paper.citations === 1 ? "once" : `${paper.citations} times`} here`,
        paper.seed && "of your question"].filter(Boolean).join(", "));
    this.light(null);
    const paper = this.current;
    const listed = rowOf(paper.id);
    const parts = [];
    if (listed || canPick()) parts.push(button(paper.picked ? "Deselect" : "Select", () => this.toggle(paper)));
    parts.push(button("Add what it cites and what cites it", () => this.expand(paper)));
    if (listed) parts.push(made("a", { href: `#${listed.id}`, text: "Show it in the list" }));
    const focused = [...this.actions.children].indexOf(document.activeElement);
    this.actions.replaceChildren(...parts);
    if (focused >= 0) parts[focused]?.focus();
  }

  place() {
    const bottom = Math.max(...this.papers.map((paper) => paper.y + paper.r)) + 44;
    const top = Math.min(...this.papers.map((paper) => paper.y - paper.r)) - 20;
    const labels = this.years.selectAll("g").data(columns(this.papers, this.width)).join((enter) => {
      const one = enter.append("g");
      one.append("path").attr("class", "grid");
      one.append("text").attr("class", "year");
      return one;
    });
    labels.attr("transform", ([x]) => `translate(${x},0)`);
    labels.select("path").attr("d", `M0,${top}V${bottom - 14}`);
    // A year that has no room is left out.
    let last = -Infinity;
    labels.select("text").attr("y", bottom).text(([x, year]) => {
      if (x - last < 34) return "";
      last = x;
      return year ?? "n.d.";
    });
    this.edges.selectAll("path").attr("d", curve);
    this.nodes.selectAll(".node").attr("transform", (paper) => `translate(${paper.x},${paper.y})`);
  }

  fit() {
    const box = this.drawing.node().getBBox();
    const scale = Math.min(this.width / (box.width + 24), TALLEST / (box.height + 24), 1);
    const height = Math.max(scale * (box.height + 24), 200);
    this.svg.attr("height", height);
    this.svg.call(this.zoom.transform, zoomIdentity.translate(this.width / 2, height / 2).scale(scale)
      .translate(-box.x - box.width / 2, -box.y - box.height / 2));
  }

  nodeOf(paper) {
    return this.nodes.selectAll(".node").filter((one) => one === paper).node();
  }

  /** Bring a paper into sight that the keyboard has gone to. */
  reveal(paper) {
    const node = this.nodeOf(paper)?.getBoundingClientRect();
    const frame = this.svg.node().getBoundingClientRect();
    if (!node || (node.left >= frame.left && node.right <= frame.right && node.top >= frame.top && node.bottom <= frame.bottom)) return;
    this.zoom.translateTo(this.svg, paper.x, paper.y);
  }

  look(paper) {
    if (paper === this.current) return;
    this.current = paper;
    this.marked();
  }

  /** Let a paper stand out with its citations, or the one that is looked at. */
  light(pointed) {
    const paper = pointed ?? this.current;
    this.caption.textContent = described(paper);
    const near = new Set([pointed]);
    this.edges.selectAll("path").classed("on", ({ source, target }) => {
      const on = pointed && (source === pointed || target === pointed);
      if (on) near.add(source).add(target);
      return Boolean(on);
    });
    this.svg.classed("chosen", Boolean(pointed));
    this.nodes.selectAll(".node").classed("on", (one) => near.has(one));
  }

  async toggle(paper) {
    const box = rowOf(paper.id)?.querySelector("[name=papers]");
    if (box) {
      box.click(); // the list tells the map
    } else if (canPick()) {
      try {
        await pick([paper.id], { remove: paper.picked, about: () => paper });
        paper.picked = !paper.picked;
        this.marked();
      } catch (error) {
        this.said.textContent = error.message;
      }
    }
  }

  /** Take over what the list says is selected. */
  listen() {
    for (const paper of this.papers) {
      const box = rowOf(paper.id)?.querySelector("[name=papers]");
      if (box) paper.picked = box.checked;
    }
    this.marked();
  }

  async expand(paper) {
    const body = new URLSearchParams([["id", paper.id], ...this.papers.map(({ id }) => ["shown", id])]);
    let found;
    try {
      found = await json(await send(this.details.dataset.add, body));
    } catch (error) {
      this.said.textContent = error.message;
      return;
    }
    for (const one of found.papers) {
      this.papers.push({ ...one, picked: isPicked(one), y: paper.y });
    }
    this.pairs.push(...found.citations);
    this.arrange(true);
    if (still()) this.fit();
    else this.running.on("end.fit", () => this.fit());
    const count = found.papers.length;
    const added = count === 1 ? "One paper was added" : `${count} papers were added`;
    this.said.textContent = count ? `${added} for ${paper.label}.` : `The index has nothing more around ${paper.label}.`;
    this.focus(paper);
  }

  focus(paper) {
    this.nodeOf(paper)?.focus({ preventScroll: true });
  }

  press(event) {
    if (modified(event) || !event.target.closest?.("[role=option]")) return;
    if (event.key in WAYS) this.step(...WAYS[event.key]);
    else if (event.key in KEYS) this.commands[KEYS[event.key]]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Go to the nearest paper in a direction. */
  step(across, down) {
    const from = this.current;
    const far = (paper) => {
      const [x, y] = [paper.x - from.x, paper.y - from.y];
      const [along, aside] = across ? [x * across, y] : [y * down, x];
      return along > 0 ? along + 2 * Math.abs(aside) : Infinity;
    };
    const next = this.shown.reduce((best, paper) => (far(paper) < far(best) ? paper : best), from);
    if (far(next) < Infinity) this.focus(next);
  }
}

let drawn = null; // the latest map

/** Draw the map of an element that was opened, once. */
export function draw(details) {
  if (drawn?.details !== details) drawn = new CitationMap(details);
}

results.addEventListener("change", ({ target }) => {
  if (target.name === "papers") drawn?.listen();
});
