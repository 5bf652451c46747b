// In place of d3-transition, which d3-zoom asks to end transitions: the map has none, so that there is nothing to end.
import { selection } from "d3-selection";

export function interrupt() {}

selection.prototype.interrupt = function () {
  return this;
};
