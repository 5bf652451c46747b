// What the map takes of d3: `npm run build` makes webui/static/d3.js of it.
export { forceLink, forceSimulation, forceY } from "d3-force";
export { select } from "d3-selection";
export { zoom, zoomIdentity } from "d3-zoom";
