/** One panel: values over time, or the latest. */
export interface Panel {
  readonly title: string;
  /** What it shows, and what to make of it. */
  readonly description: string;
  /** `now`: the latest values, one for each series. */
  readonly kind: "over time" | "now";
  /** As Grafana calls it: `short`, `s`, `bytes`, `percentunit`, `reqps`, `ops`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** From which values it is amber, and red; downwards if the second is lower. @default it has no colours */
  readonly thresholds?: readonly [amber: number, red: number];
}

export interface Query {
  readonly expr: string;
  /** What a series is called, with its labels: `{{process}}`. */
  readonly legend: string;
}
