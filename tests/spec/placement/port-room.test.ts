/** How many members have programs beside the control plane before port numbers run out. */
import { problemsOf, simulated } from "../configuration.ts";

const kubeconfig = `apiVersion: v1
clusters: [{ name: a, cluster: { server: https://a.example.org } }]
users: [{ name: a, user: { token: t } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
current-context: a
`;
const members = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    name: `member-${i}`,
    credentials: { kind: "kubeconfig", kubeconfig },
    ...more,
  }));
const pull = { syncMode: "Pull" };
const estimators = { controlPlane: { "karmada-scheduler-estimator": { enabled: true } } };
const hosts = (count: number, more: object = {}) => ({
  etcd: { kind: "managed", members: 1 },
  placement: {
    kind: "hosts",
    ssh: { privateKey: "a key" },
    hosts: Array.from({ length: count }, (_, i) => ({
      name: `host${i + 1}`,
      address: `10.0.0.${i + 1}`,
      ssh: { hostKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}` },
    })),
    ...more,
  },
});
const takes = "an agent beside the control plane takes 2, an estimator 3";

test("on one machine more programs than there are port numbers for are refused", () => {
  const way = "join more of them with syncMode: Push, place the deployment on hosts, or have fewer members";
  const said = (ports: number) =>
    `members: got programs with ${ports} ports on this machine, want at most 900; ${takes}, a simulated cluster 4: ${way}`;
  expect(problemsOf({ members: members(180, pull), ...estimators })).toEqual([]);
  expect(problemsOf({ members: members(181, pull), ...estimators })).toEqual([said(905)]);
  expect(problemsOf({ members: members(450, pull) })).toEqual([]);
  const clusters = Array.from({ length: 226 }, (_, i) => simulated(`member-${i}`));
  expect(problemsOf({ members: clusters })).toEqual([said(904)]);
  const overrides = [{ name: "events", resources: ["/events"], members: 1 }];
  const etcd = { kind: "managed", members: 1, overrides };
  expect(problemsOf({ members: members(180, pull), ...estimators, etcd })).toEqual([said(903)]);
});

test("on hosts those of each host count by themselves, those for members of teams too", () => {
  const way =
    "have agents run in their members (agent.kind: inMember), or more hosts run these programs (placement.components)";
  const said = (ports: number, host: string) =>
    `members: got programs with ${ports} ports on ${host}, want at most 900; ${takes}: ${way}`;
  expect(problemsOf({ ...hosts(1), members: members(180, pull), ...estimators })).toEqual([]);
  expect(problemsOf({ ...hosts(1), members: members(181, pull), ...estimators })).toEqual([said(905, "host1")]);
  expect(problemsOf({ ...hosts(3), members: members(450, pull), ...estimators })).toEqual([]);
  const components = { "karmada-scheduler-estimator": ["host2"] };
  const served = [{ estimators: { theirs: "kubeconfig" } }];
  expect(problemsOf({ ...hosts(3, { components }), members: members(300), ...estimators })).toEqual([]);
  expect(problemsOf({ ...hosts(3, { components }), members: members(300), ...estimators }, { served })).toEqual([
    said(903, "host2"),
  ]);
});

test("agents in their members take no port", () => {
  const inMember = { ...pull, agent: { kind: "inMember" } };
  expect(problemsOf({ ...hosts(1), members: members(300, inMember), ...estimators })).toEqual([]);
});
