import { PassThrough } from "node:stream";
import { planeTable } from "../../cli/stack/plane-table.ts";
import type { ProgramStatus } from "../../lib/plane/status.ts";

const silent = "https://10.0.0.1:5443: no answer in time";
const unread = { state: "Unknown", reason: "NoAnswer", message: silent } as const;
const programs: ProgramStatus[] = [
  { name: "kube-apiserver", state: "Running", reason: "Ready", message: "" },
  { name: "kube-controller-manager", state: "Running", reason: "HoldsLease", message: "", leader: "host_2_0c1f-4a" },
  { name: "karmada-scheduler", state: "Failing", reason: "LeaseExpired", message: "nobody has renewed it" },
  { name: "karmada-descheduler", state: "Unobserved", reason: "WorksAlone", message: "" },
];

test("programs are a table with the host of the one that leads, and why one does not run below it", () => {
  expect(planeTable(programs, new PassThrough()).join("\n")).toBe(
    `PROGRAM                  STATE       LEADER  REASON
kube-apiserver           Running     -       Ready
kube-controller-manager  Running     host_2  HoldsLease
karmada-scheduler        Failing     -       LeaseExpired
karmada-descheduler      Unobserved  -       WorksAlone

karmada-scheduler: nobody has renewed it
`,
  );
});

test("what keeps several from being known is said once", () => {
  const both = ["karmada-webhook", "karmada-search"].map((name) => ({ name, ...unread }));
  expect(planeTable(both, new PassThrough()).at(-2)).toBe(`karmada-webhook, karmada-search: ${silent}`);
});

test("a stack without a control plane of its own has no table", () => {
  expect(planeTable([], new PassThrough())).toEqual([]);
});
