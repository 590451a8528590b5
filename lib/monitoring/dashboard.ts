import { apiPanels } from "./dashboard/api.ts";
import { etcdPanels } from "./dashboard/etcd.ts";
import { karmadaPanels } from "./dashboard/karmada.ts";
import { keepingPanels } from "./dashboard/keeping.ts";
import type { Panel } from "./dashboard/panel.ts";
import { grafanaPanel } from "./dashboard/grafana-panel.ts";
import type { Watched } from "./rule.ts";

/** The panels of a deployment's dashboard, by heading; none about what it does not have. */
export function dashboardRows(watched: Watched): ReadonlyMap<string, readonly Panel[]> {
  const rows = {
    "Members and what is brought to them": karmadaPanels(watched),
    "API servers": apiPanels(watched),
    etcd: etcdPanels(watched),
    "Programs, snapshots and certificates": keepingPanels(watched),
  };
  return new Map(Object.entries(rows).filter(([, panels]) => panels.length > 0));
}

/**
 * The dashboard as Grafana imports it, with whichever Prometheus is chosen there.
 * https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/
 */
export function dashboardText(watched: Watched): string {
  const panels: object[] = [];
  let y = 0;
  for (const [title, row] of dashboardRows(watched)) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y += 1;
    row.forEach((panel, i) => {
      const place = { x: (i % inRow) * width, y: y + Math.floor(i / inRow) * height, w: width, h: height };
      panels.push(grafanaPanel(panel, panels.length + 1, place));
    });
    y += Math.ceil(row.length / inRow) * height;
  }
  const { deployment } = watched;
  const dashboard = {
    uid: `karmada-${deployment}`.slice(0, longestUid),
    title: `Karmada ${deployment}`,
    tags: ["karmada"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

const columns = 24;
const inRow = 3;
const [width, height] = [columns / inRow, 8];
/** https://grafana.com/docs/grafana/latest/developers/http_api/dashboard/#identifier-id-vs-unique-identifier-uid */
const longestUid = 40;
