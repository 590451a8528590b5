import type { Panel } from "./panel.ts";

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A panel in Grafana's format: https://grafana.com/docs/grafana/latest/panels-visualizations/ */
export function grafanaPanel(
  { title, description, kind, unit, queries, thresholds }: Panel,
  id: number,
  gridPos: Place,
) {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  const now = kind === "now";
  return {
    id,
    type: now ? "stat" : "timeseries",
    title,
    description,
    datasource,
    gridPos,
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + i),
      datasource,
      expr,
      legendFormat: legend,
      ...(now && { instant: true }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(!now && { min: 0 }),
        ...(thresholds && {
          color: { mode: "thresholds" },
          thresholds: { mode: "absolute", steps: stepsOf(thresholds) },
        }),
      },
      overrides: [],
    },
    options: now
      ? { reduceOptions: { calcs: ["lastNotNull"] }, textMode: "value_and_name" }
      : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  };
}

/** Each colour applies from its value upwards. */
function stepsOf([amber, red]: NonNullable<Panel["thresholds"]>): object[] {
  if (amber <= red)
    return [
      { color: "green", value: null },
      { color: "orange", value: amber },
      { color: "red", value: red },
    ];
  return [
    { color: "red", value: null },
    { color: "orange", value: red },
    { color: "green", value: amber },
  ];
}
