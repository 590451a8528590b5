import { bytes, seconds } from "../../../spec/values/units.ts";
import { problemsOf, simulated } from "../configuration.ts";

test("durations are counted in seconds", () => {
  expect([seconds("30s"), seconds("10m"), seconds("720h")]).toEqual([30, 600, 2_592_000]);
});

test("sizes are counted in bytes", () => {
  expect([bytes("512Mi"), bytes("8Gi")]).toEqual([536_870_912, 8_589_934_592]);
});

const kubeconfig = JSON.stringify({
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: "https://oslo.example.org:6443" } }],
  users: [{ name: "u", user: { token: "t0ken" } }],
});
const credentials = { kind: "kubeconfig", kubeconfig };
const exposure = { kind: "nodePort", addresses: ["10.0.0.11"] };
const placement = { kind: "kubernetes", credentials, exposure };
const inMember = { kind: "inMember", server: "https://karmada.example.org:5443" };
const targets = [{ kind: "local", directory: "/backup" }];
const addon = { name: "a", source: { kind: "manifest", file: "a.yaml" }, target: { kind: "controlPlane" } };
const years = { longest: 876_000, why: "a hundred years" };
const timer = { longest: 596, why: "as long as a timer runs" };

test.each<[path: string, bound: typeof years, config: (value: string) => object]>([
  ["pki.authorityValidity", years, (authorityValidity) => ({ pki: { authorityValidity } })],
  ["pki.certificateValidity", years, (certificateValidity) => ({ pki: { certificateValidity } })],
  ["pki.renewBefore", years, (renewBefore) => ({ pki: { renewBefore } })],
  ["members[0].rotateEvery", years, (rotateEvery) => ({ members: [simulated("a", { rotateEvery })] })],
  [
    "members[0].agent.rolloutTimeout",
    timer,
    (rolloutTimeout) => ({
      members: [{ name: "a", syncMode: "Pull", credentials, agent: { ...inMember, rolloutTimeout } }],
    }),
  ],
  ["placement.rolloutTimeout", timer, (rolloutTimeout) => ({ placement: { ...placement, rolloutTimeout } })],
  [
    "snapshots.schedule.jitter",
    timer,
    (jitter) => ({ snapshots: { targets, schedule: { cron: "0 * * * *", jitter } } }),
  ],
  ["addons[0].timeout", timer, (timeout) => ({ addons: [{ ...addon, timeout }] })],
])("%s has a bound", (path, { longest, why }, config) => {
  for (const value of [`${longest + 1}h`, `${longest * 60 + 1}m`, `${longest * 3600 + 1}s`, "99999999h"])
    expect(problemsOf(config(value))).toEqual([`${path}: got "${value}", want at most "${longest}h", ${why}`]);
  expect(problemsOf(config(`${"9".repeat(400)}s`))[0]).toMatch(`want at most "${longest}h"`);
  for (const value of [`${longest}h`, `${longest * 60}m`, `${longest * 3600}s`])
    expect(problemsOf(config(value)).filter((problem) => problem.includes(why))).toEqual([]);
});

test("a size is one that programs can count, in bytes", () => {
  const problems = (memory: string) => problemsOf({ controlPlane: { "karmada-scheduler": { resources: { memory } } } });
  for (const right of ["1Mi", "999999999Gi"]) expect(problems(right)).toEqual([]);
  expect(bytes("999999999Gi")).toBeLessThan(2 ** 63);
  expect(problems("9999999999Gi")).toEqual([
    'controlPlane.karmada-scheduler.resources.memory: got "9999999999Gi", want a size such as "512Mi" or "8Gi"',
  ]);
});

test("cores are as many as a machine might have", () => {
  const problems = (cpu: string) => problemsOf({ controlPlane: { "karmada-scheduler": { resources: { cpu } } } });
  for (const right of ["1", "1m", "999999", "999999999m"]) expect(problems(right)).toEqual([]);
  for (const wrong of ["0", "0m", "01", "1000000", "1000000000m", "0.5"])
    expect(problems(wrong)).toEqual([
      `controlPlane.karmada-scheduler.resources.cpu: got "${wrong}", want cores such as "2" or "500m", in quotes`,
    ]);
});
