import { dashboardRows, dashboardText } from "../../../lib/monitoring/dashboard.ts";
import { readPromql } from "../../support/promql.ts";
import { target, watched } from "./support.ts";

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string; readonly legendFormat: string }[];
}

const rows = dashboardRows(watched());
const panels = [...rows.values()].flat();
const written = (more = {}) => JSON.parse(dashboardText(watched(more))) as { uid: string; panels: Panel[] };

test("every expression is PromQL, and all that it chooses is of the deployment", () => {
  for (const { queries } of panels)
    for (const { expr } of queries)
      for (const { matchers } of readPromql(expr).selectors)
        expect(matchers).toContainEqual({ label: "deployment", op: "=", value: "prod" });
  expect(panels.length).toBeGreaterThan(20);
});

test("a series is called by what grouping leaves of it", () => {
  const unknown = panels.flatMap(({ title, queries }) =>
    queries.flatMap(({ expr, legend }) => {
      const { by } = readPromql(expr);
      const spoken = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      return by.length === 0 ? [] : spoken.filter((label) => !by.flat().includes(label)).map((label) => [title, label]);
    }),
  );
  expect(unknown).toEqual([]);
});

test("every panel has a name of its own and says what it tells", () => {
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { description } of panels) expect(description).toMatch(/\.$/);
});

test("there is nothing about what a deployment does not have", () => {
  const least = ["kube-apiserver", "karmada-controller-manager", "karmada-scheduler"].map((name) => target(name));
  const titles = [...dashboardRows(watched({ targets: least, certificateEnds: {} })).values()].flat();
  const absent = panels.map(({ title }) => title).filter((title) => titles.every((each) => each.title !== title));
  expect([...dashboardRows(watched({ targets: least })).keys()]).not.toContain("etcd");
  expect(absent).toEqual([
    ...rows.get("etcd")!.map(({ title }) => title),
    "Age of the newest snapshot",
    "Snapshots",
    "Certificates that end first",
  ]);
});

test("as Grafana imports it, headings and panels stand one below the other, and none over another", () => {
  const { uid, panels } = written();
  expect(uid).toBe("karmada-prod");
  expect(panels.filter(({ type }) => type === "row").map(({ title }) => title)).toEqual([...rows.keys()]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  for (const { type, targets = [] } of panels)
    expect(targets.map(({ refId }) => refId)).toEqual(type === "row" ? [] : ["A", "B"].slice(0, targets.length));
  expect(written({ deployment: "a".repeat(48) }).uid).toHaveLength(40);
});
