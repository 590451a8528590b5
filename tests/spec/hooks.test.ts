import { stringify } from "yaml";
import { problemsOf } from "./configuration.ts";

const note = { name: "note", when: "before", phase: "etcd", run: "true" };
const kubeconfig = stringify({
  "current-context": "host",
  contexts: [{ name: "host", context: { cluster: "host", user: "admin" } }],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});
const inPods = {
  kind: "kubernetes",
  credentials: { kind: "kubeconfig", kubeconfig },
  exposure: { kind: "nodePort", addresses: ["node1.example.org"] },
};

test.each([
  ["on one machine", { kind: "local" }],
  ["in a host cluster", inPods],
])("hooks %s have each a name of its own, and no hosts", (_, placement) => {
  const problems = (hooks: object[]) => problemsOf({ placement: { ...placement, hooks } });
  expect(problems([note, { ...note, name: "other" }])).toEqual([]);
  expect(problems([note, { ...note, phase: "members" }])).toEqual([
    'placement.hooks[1].name: got "note", want another name: hooks[0] has it',
  ]);
  expect(problems([{ ...note, hosts: ["host1"] }])).toEqual([
    "placement.hooks[0].hosts: unknown key, want one of name, when, phase, run, undo, environment, triggers",
  ]);
});
