import { jest } from "@jest/globals";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { sha256 } from "../../lib/sha256.ts";
import { provider } from "../../providers/host-prepared-process-impl.ts";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the engine hands it over
type State = any;

/** What is checked is looked at once in a run: each test has a host of its own. */
let host: { kind: "local"; name: string; address: string };
let count = 0;
let warn: ReturnType<typeof jest.spyOn>;
beforeEach(() => {
  host = { kind: "local", name: `host${++count}`, address: `192.0.2.${count}` };
  warn = jest.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => void jest.restoreAllMocks());

const contents = { "pki/ca.crt": "ca", "pki/tls.crt": "leaf" };
const inputs = (change: object = {}): State => ({
  host,
  name: "etcd-0",
  component: "etcd",
  program: "etcd",
  programSha256: "0".repeat(64),
  args: ["--name=etcd-0"],
  env: {},
  contents,
  rereads: ["pki/tls.crt"],
  stopSeconds: 10,
  notifies: true,
  ...change,
});

const check = async (state: State, change: object = {}): Promise<State> =>
  (await provider.check(state, inputs(change))).inputs;

/** Has the host say that the member runs as declared; of its files and its unit it says that they are so. */
function found({ revision }: State, { unit = "", ...edited }: Record<string, string> = {}): void {
  const digests = Object.entries({ ...contents, ...edited }).map(
    ([key, text]) => `digest ${sha256(text)}  ./etcd-0/${key}`,
  );
  const said = [
    ...digests,
    ...(unit === "" ? [] : [`unit ${sha256(unit)}  karmada-etcd-0.service`]),
    "shown MainPID=712",
    "shown Id=karmada-etcd-0.service",
    "shown ActiveState=active",
    `revision 712 ${revision}`,
  ];
  jest.spyOn(hostAt(host), "run").mockResolvedValue(`${said.join("\n")}\n`);
}

const drift = ["it was changed by hand"];

test.each([
  ["a file that it reads once", { "pki/ca.crt": "another" }],
  ["its unit", { unit: "another" }],
])("a member of which somebody has edited %s is to be started anew when that is put back, once", async (_, edited) => {
  const state = await check({});
  found(state, edited);
  const putBack = await check({ ...state, drift });
  expect(putBack.revision).not.toBe(state.revision);
  expect((await provider.diff!("id", { ...state, drift }, putBack)).changes).toBe(true);
  // Its reconciler has not come to it yet.
  expect((await check({ ...putBack, drift })).revision).toBe(putBack.revision);
  expect((await check(putBack)).revision).toBe(putBack.revision);
});

test("it is so too when it is put back since something else changes, and again the next time", async () => {
  const state = await check({});
  found(state, { unit: "another" });
  const first = await check(state, { contents: { ...contents, "pki/tls.crt": "renewed" } });
  expect(first.revision).not.toBe(state.revision);
  host = { ...host, name: "again" };
  const renamed = { ...first, host };
  found(renamed, { unit: "another" });
  const revisions = [state, first, await check({ ...renamed, drift })].map(({ revision }) => revision);
  expect(new Set(revisions).size).toBe(3);
});

test("it is not while the edit stays, when nothing it reads once was edited, or when it runs as something else", async () => {
  const state = await check({});
  found(state, { unit: "another" });
  expect((await check(state)).revision).toBe(state.revision);
  expect(warn).toHaveBeenCalled();
  for (const [runs, edited] of [
    [state, { "pki/tls.crt": "another" }],
    [{ revision: "of before" }, { unit: "another" }],
  ] as const) {
    host = { ...host, name: `${host.name}x` };
    found(runs, edited);
    expect((await check({ ...state, host, drift })).revision).toBe(state.revision);
  }
});
