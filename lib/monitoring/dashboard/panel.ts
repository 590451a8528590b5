/** One picture: values over time, or of now. */
export interface Panel {
  readonly title: string;
  /** What it tells, and what to make of it. */
  readonly description: string;
  /** `now`: the last values, one for each series. */
  readonly kind: "over time" | "now";
  /** As Grafana calls it: `short`, `s`, `bytes`, `percentunit`, `reqps`, `ops`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** From which value on it is amber, and red; falling where the second is the lower one. @default it has no colours */
  readonly thresholds?: readonly [amber: number, red: number];
}

export interface Query {
  readonly expr: string;
  /** What a series is called, with its labels: `{{process}}`. */
  readonly legend: string;
}

/** How many a second of a counter, added up by labels. */
export const rate = (by: string, series: string): string => `sum by (${by}) (rate(${series}[5m]))`;

/** What one in a hundred exceeds, of a histogram. */
export const slowest = (by: string, histogram: string, series: string): string =>
  `histogram_quantile(0.99, sum by (${by}, le) (rate(${histogram}_bucket${series}[5m])))`;
