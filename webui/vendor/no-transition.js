// In place of d3-transition, which d3-zoom asks to end transitions, and of what it asks of d3-interpolate for them: the
// map has none, so that there is nothing to end.
import { selection } from "d3-selection";

export function interrupt() {}
export function interpolateZoom() {}

selection.prototype.interrupt = function () {
  return this;
};
