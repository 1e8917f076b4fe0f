/**
 * What comes first among events of one instant: a device that gets free, then the qdiscs' watchdogs, then timers of the
 * models' own, then packets that arrive from links, then flows in the order of the scenario.
 */
export const RANK_DEVICE = 0;
export const RANK_WATCHDOG = 1;
export const RANK_MODEL = 2;
export const RANK_ARRIVAL = 3;
export const RANK_FLOW = 4;
