/** The instants of a run, in ns of the simulated kernel's clock. */
export interface RunWindow {
  readonly startNs: number;
  /** Rates count from here. */
  readonly warmNs: number;
  readonly endNs: number;
}

const WINDOWS = [
  { name: '10ms', windowNs: 10e6 },
  { name: '100ms', windowNs: 100e6 },
  { name: '1s', windowNs: 1e9 },
];

/** The windows in which throughput is shown over time; those longer than the run are left out. */
export function throughputWindows(durationNs: number): readonly { readonly name: string; readonly windowNs: number }[] {
  return WINDOWS.filter(({ windowNs }) => windowNs <= durationNs);
}
