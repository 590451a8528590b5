import { resolve } from "../../../spec/resolve.ts";
import { sampleKubeconfig } from "../../support/sample-kubeconfig.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const kubeconfig = sampleKubeconfig();
const credentials = { kind: "kubeconfig", kubeconfig };
const server = "https://karmada.example.org:5443";
const oslo = (agent: object | undefined, more: object = {}) => ({
  pki,
  members: [{ name: "oslo", syncMode: "Pull", credentials, ...(agent && { agent }), ...more }],
});
const pki = { extraNames: ["*.example.org"] };
const inMember = (more: object = {}) => ({ kind: "inMember", ...more });
const inPods = (more: object = {}) => ({
  placement: { kind: "kubernetes", credentials, exposure: { kind: "nodePort", addresses: ["10.0.0.11"] }, ...more },
});
const login = JSON.stringify({ auths: { "mirror.example.org": { auth: "bWU6cDRzcw==" } } });
const agentOf = (config: object) => resolve(config, context).members[0]!.agent;

test("an agent runs beside the control plane unless it is said otherwise", () => {
  const beside = { kind: "beside", registration: "certificate" };
  expect(agentOf(oslo(undefined))).toEqual(beside);
  expect(agentOf(oslo({ kind: "beside" }))).toEqual(beside);
});

test("one in the member has a namespace, and its image from upstream's registry", () => {
  expect(agentOf(oslo(inMember({ server })))).toMatchObject({
    kind: "inMember",
    server,
    namespace: "karmada-agent",
    images: { karmada: "docker.io/karmada", pinned: {}, pullPolicy: "IfNotPresent" },
    networkPolicies: { enabled: true },
    rolloutTimeout: "5m",
  });
});

test.each(["Karmada.example.org", "*.Example.org"])("names of a certificate may be typed with capitals: %s", (name) => {
  expect(problemsOf({ ...oslo(inMember({ server })), pki: { extraNames: [name] } })).toEqual([]);
});

test("its image is that of the host cluster's, unless another registry is given: then no login goes to the member unasked", () => {
  const images = {
    karmada: "mirror.example.org/karmada",
    pinned: { "karmada-agent": "mirror.example.org/agent:v1", etcd: "mirror.example.org/etcd:v1" },
    pullPolicy: "Always",
    login,
  };
  const placed = inPods({ images });
  expect(agentOf({ ...placed, ...oslo(inMember()) })).toMatchObject({
    images: { karmada: images.karmada, pinned: images.pinned, pullPolicy: "Always", login },
  });
  const own = agentOf({ ...placed, ...oslo(inMember({ images: { karmada: "oslo.example.org" } })) });
  expect(own).toMatchObject({ images: { karmada: "oslo.example.org", pinned: {}, pullPolicy: "IfNotPresent" } });
  expect(JSON.stringify(own)).not.toContain("login");
});

test.each([
  [
    "a member in Push mode",
    oslo({ kind: "beside" }, { syncMode: "Push" }),
    'members[0].agent: no agent runs for it with syncMode "Push", want syncMode "Pull" or "auto", or no agent here',
  ],
  [
    "a simulated member",
    { members: [simulated("oslo", { syncMode: "Pull", agent: inMember({ server }) })] },
    'members[0].agent.kind: got "inMember", want "beside": the nodes of a simulated cluster run no pods',
  ],
  [
    "a control plane on a loopback address",
    oslo(inMember()),
    'members[0].agent.server: missing, want the address of the control plane as the member reaches it: with placement.kind "local" it listens on a loopback address only',
  ],
  [
    "a loopback address",
    { ...inPods(), ...oslo(inMember({ server: "https://127.0.0.1:5443" })) },
    'members[0].agent.server: got "https://127.0.0.1:5443", want the address of the control plane as the member reaches it: a loopback address leads a pod to itself',
  ],
  [
    "a control plane that is not exposed",
    { ...inPods({ exposure: { kind: "clusterIP" } }), ...oslo(inMember()) },
    'members[0].agent.server: missing, want the address of the control plane as the member reaches it: with placement.exposure.kind "clusterIP" and no addresses only pods beside it do',
  ],
  [
    "an address that the certificate is not valid for",
    { ...oslo(inMember({ server: "https://a.b.example.org:5443" })), ...inPods() },
    'members[0].agent.server: got "https://a.b.example.org:5443", want "a.b.example.org" among pki.extraNames: the certificate of the API servers is not valid for it',
  ],
  [
    "a namespace of others",
    oslo(inMember({ server, namespace: "kube-system" })),
    'members[0].agent.namespace: got "kube-system", want one of its own: it is deleted with the agent',
  ],
  ["another place", oslo({ kind: "onHost" }), 'members[0].agent.kind: got "onHost", want "beside" or "inMember"'],
  [
    "settings of an agent in the member beside the control plane",
    oslo({ kind: "beside", namespace: "a" }),
    "members[0].agent.namespace: unknown key, want one of kind, registration",
  ],
  [
    "a bootstrap token where nobody signs",
    { ...inPods(), ...oslo({ kind: "beside", registration: "bootstrapToken" }) },
    'members[0].agent.registration: got "bootstrapToken", want "certificate", or pki.signRequests true: kube-controller-manager signs the request',
  ],
  [
    "an image of another program",
    oslo(inMember({ server, images: { pinned: { etcd: "a:1" } } })),
    "members[0].agent.images.pinned.etcd: unknown key, want one of karmada-agent",
  ],
  [
    "an address without port",
    oslo(inMember({ server: "https://karmada.example.org" })),
    'members[0].agent.server: got "https://karmada.example.org", want an address with a port from 1 to 65535, such as "https://karmada.example.org:5443"',
  ],
])("%s is refused with one message", (_, config, problem) => {
  expect(problemsOf(config)).toEqual([problem]);
});

test("a bootstrap token is taken where requests are signed", () => {
  const byToken = { kind: "beside", registration: "bootstrapToken" };
  expect(problemsOf(oslo(byToken))).toEqual([]);
  expect(problemsOf({ ...inPods(), ...oslo(byToken), pki: { signRequests: true } })).toEqual([]);
});

test.each([
  ["an address of nodes", inPods(), "https://10.0.0.11:32443"],
  [
    "the name of an ingress",
    inPods({ exposure: { kind: "ingress", host: "karmada.example.com", ingressClass: "nginx" } }),
    "https://karmada.example.com:443",
  ],
  [
    "an endpoint",
    inPods({ exposure: { kind: "clusterIP", addresses: ["10.0.0.12"], endpoint: "https://karmada.example.com:443" } }),
    "https://karmada.example.com:443",
  ],
])("%s is among the names of the control plane's certificate", (_, placement, way) => {
  expect(problemsOf({ ...oslo(inMember({ server: way })), ...placement })).toEqual([]);
});

test("a member of a group has its group's agent, and auto may come to Push with one", () => {
  const paris = { name: "paris", credentials, networks: ["lan"] };
  const group = { name: "eu", defaults: { syncMode: "auto", agent: inMember({ server }) }, members: [paris] };
  const { members } = resolve({ pki, controlPlane: { networks: ["lan"] }, memberGroups: [group] }, context);
  expect(members[0]).toMatchObject({ syncMode: "Push", agent: { kind: "inMember", server } });
  expect(problemsOf({ memberGroups: [{ ...group, defaults: { agent: inMember({ server }) } }] })).toEqual([
    'memberGroups[0].defaults.agent: no agent runs for it with syncMode "Push", want syncMode "Pull" or "auto", or no agent here',
  ]);
});
