// In place of d3-transition, which d3-zoom asks to end transitions: the map has none.
export function interrupt() {}
