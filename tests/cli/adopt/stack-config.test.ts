import { fitted } from "../../../cli/adopt/fitted.ts";
import { outlook } from "../../../cli/adopt/outlook.ts";
import { adoptedStack, type Found } from "../../../cli/adopt/stack-config.ts";
import { kubeconfigOf as memberKubeconfig } from "../../../lib/adoption/members.ts";
import { workloadOf, type Workload } from "../../../lib/adoption/workloads.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";
import { karmadactl, workloadsOf } from "../../lib/adoption/installers.ts";

const authority = await createAuthority("karmada");
const leaf = await authority.issue({ commonName: "admin" });
const directory = mkdtempSync(join(tmpdir(), "adopted-"));
const kubeconfig = join(directory, "host.kubeconfig");
writeFileSync(kubeconfig, kubeconfigOf("https://host:6443", authority.certificate, leaf));
afterAll(() => rmSync(directory, { recursive: true }));

const wanted = { stack: "adopted", namespace: "karmada", kubeconfig, context: undefined, snapshot: "/adopted.db" };
const encoded = (text: string) => Buffer.from(text).toString("base64");
const one = memberKubeconfig(
  { apiEndpoint: "https://one:6443" },
  { token: encoded("the token"), caBundle: encoded(authority.certificate) },
)!;

/** A plane of karmadactl's. @param more further flags of its programs, by name */
function found(more: Readonly<Record<string, readonly string[]>> = {}, service: object = nodePort): Found {
  const { deployments, statefulsets } = workloadsOf(karmadactl, more);
  const workloads: Workload[] = [
    ...deployments.flatMap((each) => workloadOf("deployments", each)),
    ...statefulsets.flatMap((each) => workloadOf("statefulsets", each)),
  ];
  return {
    plane: {
      namespace: "karmada-system",
      maker: "karmadactl init",
      workloads,
      authorities: { karmada: { certificate: authority.certificate, key: authority.key } },
      serviceAccountKey: leaf.key,
      names: ["karmada.example.org", "10.0.0.7"],
      service: { metadata: { name: "karmada-apiserver" }, spec: service },
      clusterDomain: "cluster.local",
      etcd: { ca: "", certificate: "", key: "", workload: workloads.find(({ program }) => program === "etcd")! },
      kubeconfig: "",
    },
    members: [
      { name: "one", syncMode: "Push", region: "eu", zones: ["a"], kubeconfig: one },
      { name: "two", syncMode: "Pull", zones: [] },
    ],
    nodes: [["10.0.0.6"], ["10.0.0.7"]],
  };
}

const nodePort = { type: "NodePort", ports: [{ port: 5443, nodePort: 32443 }] };

test("the stack is what there was: versions, address, authorities, members, data", () => {
  const { config, secrets } = adoptedStack(found(), wanted);
  expect(config).toMatchObject({
    versions: { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6" },
    placement: {
      namespace: "karmada",
      exposure: { kind: "nodePort", addresses: ["10.0.0.7", "10.0.0.6"], apiServer: 32443 },
    },
    pki: {
      extraNames: ["karmada.example.org", "10.0.0.7"],
      authorities: { karmada: { certificate: authority.certificate } },
    },
    etcd: { members: 1, restore: { generation: 1, source: { kind: "file", path: "/adopted.db" } } },
    members: [{ name: "one", region: "eu", zones: ["a"], credentials: { kind: "kubeconfig" } }],
  });
  expect(Object.fromEntries(secrets)).toEqual({
    "pki.authorities.karmada.key": authority.key,
    "pki.serviceAccountKey": leaf.key,
    "members[0].credentials.kubeconfig": one,
  });
  expect(JSON.stringify(config)).not.toMatch(/PRIVATE KEY|the token/);
});

test("each part is told what would become of it", () => {
  const all = found({ "karmada-controller-manager": ["--concurrent-work-syncs=7", "--feature-gates=Failover=true"] });
  const said = outlook({ ...all, adopted: adoptedStack(all, wanted), to: "karmada" });
  const sections = said.split("\n\n").map((section) => section.split("\n").map((line) => line.trim()));
  expect(sections.map(([title]) => title)).toEqual([
    "a Karmada that karmadactl init built in namespace karmada-system; nothing was changed or written",
    "taken over, and the same:",
    "ended by --fence, and run anew in namespace karmada:",
    "made anew in namespace karmada:",
    "left as it is:",
    "otherwise than before:",
  ]);
  const [, same, anew, made, left] = sections;
  expect(same![1]).toMatch(/^authority karmada: SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(anew).toContain("karmada-controller-manager 1.18.2, 1 of it, with --concurrent-work-syncs=7 Failover=true");
  expect(anew!.some((line) => line.startsWith("etcd"))).toBe(false);
  expect(made!.at(-1)).toBe("how the member one is logged in to");
  expect(left!.slice(-3)).toEqual([
    "what runs in the member one",
    "what runs in the member two",
    "the registration of the member two (Pull)",
  ]);
  expect(said).not.toMatch(/PRIVATE KEY|the token\b/);
});

test("a member that is logged in to by Karmada's own account there is said to want an administrator's", () => {
  const token = ["", JSON.stringify({ sub: "system:serviceaccount:karmada-cluster:karmada-one" }), ""].map(encoded);
  const own = memberKubeconfig(
    { apiEndpoint: "https://one:6443" },
    { token: encoded(token.join(".")), caBundle: encoded(authority.certificate) },
  )!;
  const all = found();
  const members = all.members.map((member) => (member.name === "one" ? { ...member, kubeconfig: own } : member));
  const told =
    "one: is logged in to by Karmada's own account there; give an administrator's kubeconfig before its rotate, rotateEvery or preserveWorkloads";
  expect(adoptedStack({ ...all, members }, wanted).notes).toContain(told);
  expect(adoptedStack(all, wanted).notes).not.toContain(told);
});

test("the preview has nothing to say against it", () => {
  const adopted = adoptedStack(found(), wanted);
  expect(fitted("adopted", adopted, directory)).toBe(adopted);
});

test("flags and feature gates that programs of these versions do not have stay behind, and it is said", () => {
  const more = {
    "karmada-controller-manager": ["--feature-gates=Failover=true,Gone=true", "--gone=1", "--concurrent-work-syncs=7"],
  };
  const { config, notes } = fitted("adopted", adoptedStack(found(more), wanted), directory);
  expect(config["controlPlane"]).toMatchObject({
    "karmada-controller-manager": { featureGates: { Failover: true }, extraArgs: { "concurrent-work-syncs": "7" } },
  });
  expect(JSON.stringify(config)).not.toMatch(/[Gg]one/);
  expect(notes.slice(-2)).toEqual([
    expect.stringMatching(
      /^controlPlane\.karmada-controller-manager\.extraArgs\.gone is not carried over: .* has no flag of this name/,
    ),
    expect.stringMatching(/^controlPlane\.karmada-controller-manager\.featureGates\.Gone is not carried over: /),
  ]);
});

test("what else speaks against it is said as the preview would", () => {
  const { plane, ...rest } = found();
  const etcd = { ...plane.etcd, workload: { ...plane.etcd.workload, replicas: 2 } };
  expect(() => fitted("adopted", adoptedStack({ plane: { ...plane, etcd }, ...rest }, wanted), directory)).toThrow(
    /^stack adopted: 1 problem in its configuration, nothing was changed\n {2}etcd\.members: /,
  );
});

test("flags and feature gates that somebody wished for are carried over, and what is not is said", () => {
  const { config, notes } = adoptedStack(
    found({
      "karmada-controller-manager": [
        "--feature-gates=Failover=true,PropagateDeps=false",
        "--cluster-failure-threshold=1m",
        "--v=2",
      ],
      "karmada-apiserver": ["--audit-policy-file=/etc/audit/policy.yaml"],
    }),
    wanted,
  );
  expect(config["controlPlane"]).toMatchObject({
    "karmada-controller-manager": {
      featureGates: { Failover: true, PropagateDeps: false },
      extraArgs: { "cluster-failure-threshold": "1m" },
      replicas: 1,
    },
  });
  expect(notes).toContain("karmada-apiserver: --audit-policy-file=/etc/audit/policy.yaml is not carried over");
});

const oidc = ["--oidc-issuer-url=https://login.example.org/karmada", "--oidc-client-id=karmada"];
const claims = ["--oidc-groups-claim=example.org/groups", "--oidc-required-claim=team=a/b"];
const apiServer = (more: readonly string[]) => told("kube-apiserver", { "karmada-apiserver": more });
/** Settings of a program whose pods have further flags, and what is said of them. */
const told = (program: string, more: Readonly<Record<string, readonly string[]>>) => {
  const { config, notes } = fitted("adopted", adoptedStack(found(more), wanted), directory);
  const usual = fitted("adopted", adoptedStack(found(), wanted), directory).notes;
  const settings = config["controlPlane"] as Record<string, { extraArgs?: object; logLevel?: number }>;
  return { extraArgs: {}, ...settings[program], said: notes.filter((note) => !usual.includes(note)) };
};

test("logins by OIDC are carried over whole", () => {
  expect(apiServer([...oidc, ...claims])).toEqual({
    replicas: 1,
    extraArgs: {
      "oidc-issuer-url": "https://login.example.org/karmada",
      "oidc-client-id": "karmada",
      "oidc-groups-claim": "example.org/groups",
      "oidc-required-claim": "team=a/b",
    },
    said: [],
  });
});

test.each([
  ["an authority in a file", oidc, "--oidc-ca-file=/etc/oidc/ca.crt"],
  ["an issuer that the pod fills in", ["--oidc-client-id=karmada"], "--oidc-issuer-url=$(ISSUER)"],
])("logins by OIDC are left out whole where they need %s, and it is said once", (_, portable, needed) => {
  const { extraArgs, said } = apiServer([...portable, "--min-request-timeout=900", needed]);
  expect(extraArgs).toEqual({ "min-request-timeout": "900" });
  expect(said).toEqual([
    `karmada-apiserver: ${portable.join(" ")} ${needed}: none of these is carried over, since ${needed} cannot be and they work together only: give them to controlPlane.kube-apiserver by hand (extraArgs, files)`,
  ]);
});

const installers = {
  "karmada-apiserver": [
    ...["--tls-min-version=VersionTLS13", "--max-requests-inflight=1500", "--max-mutating-requests-inflight=500"],
    ...[
      "--audit-log-path=",
      "--allow-privileged",
      "--authorization-mode=Node,RBAC",
      "--enable-bootstrap-token-auth=true",
      "--v=2",
    ],
    ...["--enable-admission-plugins=NodeRestriction", "--service-cluster-ip-range=10.96.0.0/12"],
    "--disable-admission-plugins=StorageObjectInUseProtection,ServiceAccount",
  ],
  "kube-controller-manager": [
    "--controllers=namespace,garbagecollector,csrsigning,bootstrapsigner",
    ...["--service-cluster-ip-range=10.96.0.0/12", "--leader-elect=true", "--use-service-account-credentials=true"],
  ],
  "karmada-controller-manager": ["--cluster-status-update-frequency=10s", "--v=4"],
};

test("what installers give every Karmada is not written down", () => {
  for (const program of ["kube-apiserver", "kube-controller-manager", "karmada-controller-manager"])
    expect(told(program, installers)).toEqual({ replicas: 1, extraArgs: {}, said: [] });
});

test("other values of flags that installers give are carried over", () => {
  const { extraArgs, said, logLevel } = apiServer([
    ...["--tls-min-version=VersionTLS12", "--audit-log-path=-", "--max-requests-inflight=6000", "--v=7"],
    ...["--enable-admission-plugins=NodeRestriction,PodNodeSelector", "--service-cluster-ip-range=10.112.0.0/12"],
    ...["--service-account-issuer=https://karmada.example.org", "--runtime-config=apps/v1=false,api/beta=true"],
  ]);
  expect({ extraArgs, logLevel }).toEqual({
    extraArgs: {
      "tls-min-version": "VersionTLS12",
      "audit-log-path": "-",
      "max-requests-inflight": "6000",
      "enable-admission-plugins": "PodNodeSelector",
      "service-cluster-ip-range": "10.112.0.0/12",
      "service-account-issuer": "https://karmada.example.org",
      "runtime-config": "apps/v1=false,api/beta=true",
    },
    logLevel: 7,
  });
  expect(said).toEqual([
    "tokens are issued by https://kubernetes.default.svc.cluster.local from now on; those of https://karmada.example.org stay valid",
  ]);
  expect(
    told("kube-controller-manager", { "kube-controller-manager": ["--controllers=namespace,job"] }).extraArgs,
  ).toEqual({ controllers: "job" });
});

test.each([
  ["that others here rely on", ["--authorization-mode=Node,RBAC,Webhook"], "--authorization-mode=Webhook"],
  ["in a file", ["--audit-log-path=/var/log/audit.log"], "--audit-log-path=/var/log/audit.log"],
])("other values %s are said to stay behind", (_, flags, left) => {
  const { extraArgs, said } = apiServer(flags);
  expect({ extraArgs, said }).toEqual({ extraArgs: {}, said: [`karmada-apiserver: ${left} is not carried over`] });
});

test("a flag with several values that count stays behind, and so does what goes with it", () => {
  const claims = ["--oidc-required-claim=a=b", "--oidc-required-claim=c=d"];
  const { extraArgs, said } = apiServer([...oidc, ...claims]);
  expect(extraArgs).toEqual({});
  expect(said).toEqual([
    expect.stringMatching(/: none of these .* since --oidc-required-claim=a=b --oidc-required-claim=c=d cannot be/),
  ]);
  expect(apiServer(["--max-requests-inflight=6000", "--max-requests-inflight=1500"])).toMatchObject({
    extraArgs: {},
    said: [],
  });
});

test("admission plugins stay behind with the file that configures them, and those that are off here by the check", () => {
  const ofFile = ["--enable-admission-plugins=EventRateLimit", "--admission-control-config-file=/etc/admission.yaml"];
  expect(apiServer(ofFile)).toMatchObject({ extraArgs: {}, said: [expect.stringMatching(/none of these is carried/)] });
  expect(apiServer(["--enable-admission-plugins=ServiceAccount"])).toMatchObject({
    extraArgs: {},
    said: [
      expect.stringMatching(/enable-admission-plugins is not carried over: got "ServiceAccount", want it without/),
    ],
  });
});

test("images come from the registries they came from, and what these may lack is said", () => {
  const { plane, ...rest } = found();
  const workloads = plane.workloads.map((each) => ({
    ...each,
    image: each.image.replace("docker.io", "registry.example.org"),
  }));
  const { config, notes } = adoptedStack({ plane: { ...plane, workloads }, ...rest }, wanted);
  expect(config["placement"]).toMatchObject({ images: { karmada: "registry.example.org/karmada" } });
  expect(notes[0]).toMatch(/^images of etcd and Node\.js come from quay\.io\/coreos and docker\.io\/library\/node/);
});

test("notes tell what an adopted plane keeps and what it gets anew", () => {
  const { notes } = adoptedStack(found(), wanted);
  expect(notes).toEqual([
    expect.stringMatching(/^NodePort 32443 is kept/),
    expect.stringMatching(/^the front proxy gets an authority of its own/),
    expect.stringMatching(/^two: in Pull mode; its registration and its agent stay/),
  ]);
});

test("a node keeps the address that the plane's certificate has, and others the one they are reached at", () => {
  const nodes = [["203.0.113.6", "10.0.0.6"], ["203.0.113.7", "10.0.0.7"], ["10.0.0.8"]];
  const { config } = adoptedStack({ ...found(), nodes }, wanted);
  expect(config["placement"]).toMatchObject({ exposure: { addresses: ["10.0.0.7", "203.0.113.6", "10.0.0.8"] } });
});

test.each([
  ["LoadBalancer", { kind: "loadBalancer", port: 443, etcd: {} }],
  ["ClusterIP", { kind: "clusterIP" }],
])("a Service of type %s is exposed as %j", (type, exposure) => {
  const { config } = adoptedStack(found({}, { type, ports: [{ port: 443 }] }), wanted);
  expect(config["placement"]).toMatchObject({ exposure });
});
