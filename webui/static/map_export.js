// The map as a file: its paths and texts, with the style that they have on the page.

const MARGIN = 16; // units around it
const SHARP = 2; // pixels of a PNG for one unit
const SVG = "http://www.w3.org/2000/svg";

/** Every path and text below `drawing`, in its units, as it looks. */
function shapes(drawing) {
  const home = drawing.getCTM().inverse();
  return [...drawing.querySelectorAll("path, text")].map((shape) => {
    const { e: x, f: y } = home.multiply(shape.getCTM());
    const style = getComputedStyle(shape);
    let opacity = 1;
    for (let at = shape; at !== drawing; at = at.parentNode) opacity *= Number(getComputedStyle(at).opacity);
    return {
      x, // no text has one of its own
      y: y + Number(shape.getAttribute("y") ?? 0),
      path: shape.getAttribute("d"),
      text: shape.textContent,
      title: shape.parentNode.querySelector(":scope > title")?.textContent ?? "",
      fill: style.fill,
      stroke: style.stroke,
      width: parseFloat(style.strokeWidth),
      dashes: style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat),
      font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`,
      opacity,
    };
  });
}

function frame(drawing) {
  const { x, y, width, height } = drawing.getBBox();
  return { x: x - MARGIN, y: y - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
}

const background = () => getComputedStyle(document.body).backgroundColor;

function element(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

export function asSvg(drawing) {
  const { x, y, width, height } = frame(drawing);
  const root = element("svg", { viewBox: `${x} ${y} ${width} ${height}`, width, height });
  root.append(element("rect", { x, y, width, height, fill: background() }));
  for (const one of shapes(drawing)) {
    const look = {
      fill: one.fill, stroke: one.stroke, "stroke-width": one.width,
      opacity: one.opacity, transform: `translate(${one.x} ${one.y})`,
    };
    if (one.path === null) {
      const [weight, size, ...family] = one.font.split(" ");
      const font = { "font-weight": weight, "font-size": size, "font-family": family.join(" ") };
      root.append(element("text", { ...look, ...font, "text-anchor": "middle", "paint-order": "stroke" }, one.text));
    } else {
      const path = element("path", { d: one.path, ...look, "stroke-dasharray": one.dashes.join(" ") || "none" });
      if (one.title) path.append(element("title", {}, one.title));
      root.append(path);
    }
  }
  return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
}

/** A promise of the picture; drawn by hand, because the page's policy lets no picture be loaded that it makes. */
export function asPng(drawing) {
  const { x, y, width, height } = frame(drawing);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * SHARP);
  canvas.height = Math.ceil(height * SHARP);
  const pen = canvas.getContext("2d");
  pen.fillStyle = background();
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textAlign = "center";
  pen.lineJoin = "round";
  for (const one of shapes(drawing)) {
    pen.setTransform(SHARP, 0, 0, SHARP, SHARP * (one.x - x), SHARP * (one.y - y));
    pen.globalAlpha = one.opacity;
    pen.font = one.font;
    pen.fillStyle = one.fill;
    pen.strokeStyle = one.stroke;
    pen.lineWidth = one.width;
    pen.setLineDash(one.dashes);
    if (one.path === null) {
      if (one.stroke !== "none") pen.strokeText(one.text, 0, 0);
      pen.fillText(one.text, 0, 0);
      continue;
    }
    const path = new Path2D(one.path);
    if (one.fill !== "none") pen.fill(path);
    if (one.stroke !== "none") pen.stroke(path);
  }
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
