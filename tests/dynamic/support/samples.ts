import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../../support/certificates.ts";
import type { Props } from "./dynamic-provider.ts";

/** A kind of dynamic resource for the conformance test. */
export interface Sample {
  /** Inputs that pass `check`, against servers that are not there. */
  readonly inputs: Props;
  /** The inputs whose change makes it another thing. */
  readonly identity: readonly string[];
  /** The inputs that replace it as long as they are not known. @default none */
  readonly unknownReplaces?: readonly string[];
  /** The inputs whose change is no reason to do anything. @default timeoutSeconds */
  readonly ignored?: readonly string[];
  /** The inputs of which a check leaves the digest. @default none */
  readonly once?: readonly string[];
  /** The inputs of which a check leaves nothing. @default none */
  readonly dropped?: readonly string[];
  /** Version of the state it writes. @default 1 */
  readonly schemaVersion?: number;
  /** What creating it against servers that are not there comes to; `none` where nothing is made. @default the refused connection */
  readonly failure?: RegExp | "none";
}

/** A port on which nothing listens. */
const nowhere = "https://127.0.0.1:31799";

const authority = await createAuthority("sample");
const client = await authority.issue({ commonName: "sample" });
const etcd = { endpoints: [nowhere], ca: authority.certificate, certificate: client.certificate, key: client.key };

const token = "s3cr3t-token";
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "sample",
  contexts: [{ name: "sample", context: { cluster: "sample", user: "sample" } }],
  clusters: [{ name: "sample", cluster: { server: nowhere } }],
  users: [{ name: "sample", user: { token } }],
});

const host = {
  kind: "ssh",
  name: "host1",
  address: "127.0.0.1",
  port: 31799,
  user: "root",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ",
  password: "s3cr3t-password",
};

/** Texts that may be printed nowhere. */
export const secrets = [token, host.password, client.key.split("\n")[1] ?? ""];

const timeoutSeconds = 0.3;

/** By the file that declares the resource. */
export const samples: Readonly<Record<string, Sample>> = {
  "api-ready": { inputs: { kubeconfig, timeoutSeconds }, identity: [] },
  "api-gate": { inputs: { kubeconfig, timeoutSeconds }, identity: [] },
  "served-apis": { inputs: { kubeconfig, apis: ["search.karmada.io/v1alpha1"], timeoutSeconds }, identity: [] },
  "karmada-crds": {
    inputs: { kubeconfig, version: "1.18.2", webhookUrl: nowhere, caBundle: authority.certificate, timeoutSeconds },
    identity: [],
  },
  "cluster-registration": {
    inputs: {
      cluster: "member1",
      karmadaKubeconfig: kubeconfig,
      memberKubeconfig: kubeconfig,
      syncMode: "Push",
      declaredBy: "karmada/test",
      handOver: false,
      provider: "aws",
      region: "eu",
      zones: ["a"],
      labels: { tier: "gold" },
      taints: [{ key: "a", effect: "NoSchedule" }],
      rotate: "1",
      resourceModels: [{ grade: 0, ranges: [{ name: "cpu", min: "0" }] }],
      proxyHeader: { "Proxy-Authorization": "Basic bWU6cDRzcw==" },
      rotateEvery: "720h",
      tokenHolders: { runtime: { kind: "local", directory: join(tmpdir(), "nobody-here") }, programs: ["a"] },
      heldElsewhere: true,
      used: "2026-01-01T00:00:00Z",
      timeoutSeconds,
    },
    identity: ["cluster", "syncMode"],
    once: ["karmadaKubeconfig", "memberKubeconfig"],
    ignored: ["rotateEvery", "tokenHolders", "heldElsewhere", "timeoutSeconds"],
  },
  "declared-members": {
    inputs: {
      members: ["m1"],
      declaredBy: "karmada/test",
      mayLeave: ["m2"],
      kubeconfigs: { m1: "a" },
      policies: ["PropagationPolicy default/a"],
      karmadaKubeconfig: kubeconfig,
    },
    identity: [],
    ignored: ["mayLeave", "kubeconfigs", "karmadaKubeconfig"],
    failure: "none",
  },
  "load-balancer-address": {
    inputs: { kubeconfig, namespace: "fleet", service: "karmada-apiserver-load-balancer", timeoutSeconds },
    identity: ["namespace", "service"],
    ignored: ["timeoutSeconds"],
  },
  "accepted-policies": {
    inputs: {
      objects: [{ apiVersion: "policy.karmada.io/v1alpha1", kind: "PropagationPolicy", metadata: { name: "a" } }],
      karmadaKubeconfig: kubeconfig,
    },
    identity: [],
    ignored: ["karmadaKubeconfig"],
    failure: "none",
  },
  "plane-versions": {
    inputs: {
      karmada: "1.18.2",
      kubernetes: "1.35.3",
      etcd: "managed",
      placement: "hosts",
      multiClusterServices: false,
      allowDowngrade: false,
      encryption: "secretbox",
      encrypting: { resources: ["secrets"], rotate: "" },
      encrypted: ["secrets"],
      servers: ["https://127.0.0.1:5443"],
      karmadaKubeconfig: kubeconfig,
    },
    identity: [],
    ignored: [
      ...["etcd", "placement", "multiClusterServices", "allowDowngrade", "karmadaKubeconfig"],
      ...["encrypting", "encrypted", "servers"],
    ],
    failure: "none",
  },
  "encryption-keys": {
    inputs: {
      provider: "secretbox",
      resources: ["secrets"],
      rotate: "",
      further: [],
      overlapping: false,
      karmadaKubeconfig: kubeconfig,
    },
    identity: [],
    ignored: ["overlapping", "karmadaKubeconfig"],
    failure: "none",
    schemaVersion: 2,
  },
  "encrypted-data": {
    inputs: {
      revision: "1",
      told: "1",
      encrypted: ["secrets"],
      by: ["secretbox"],
      resources: ["secrets"],
      wanted: ["secrets"],
      karmadaKubeconfig: kubeconfig,
      timeoutSeconds,
    },
    identity: [],
    ignored: ["by", "resources", "wanted", "karmadaKubeconfig", "timeoutSeconds"],
  },
  "fetched-kubeconfig": {
    inputs: {
      cluster: "member1",
      host,
      paths: ["/etc/kubernetes/admin.conf"],
      server: nowhere,
      context: "admin",
      timeoutSeconds,
    },
    identity: ["cluster"],
  },
  rebalancing: {
    inputs: {
      name: "again",
      workloads: [{ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" }],
      trigger: "1",
      ttlSecondsAfterFinished: 60,
      karmadaKubeconfig: kubeconfig,
      timeoutSeconds,
    },
    identity: ["name"],
    ignored: ["karmadaKubeconfig", "timeoutSeconds"],
  },
  rollout: {
    inputs: {
      title: "addon web",
      policy: "addon-web",
      objects: [{ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web", ready: true }],
      revision: "1",
      members: ["oslo"],
      karmadaKubeconfig: kubeconfig,
      timeoutSeconds,
    },
    identity: ["title"],
    ignored: ["karmadaKubeconfig", "timeoutSeconds"],
  },
  "owned-namespace": {
    inputs: {
      kubeconfig,
      clusterIdentifier: "sample-host-cluster",
      namespace: "fleet",
      deployment: "sample",
      oldest: "1.23",
      nodePorts: { "karmada-apiserver": [32443] },
      storageClass: "",
      databases: { "etcd-0": 8 * 2 ** 30 },
      priorityClass: "system-cluster-critical",
      ownPriorityClasses: { etcd: "system-node-critical" },
      pods: { nodeSelector: {}, tolerations: [], apart: { etcd: 3 }, required: false },
      otherPods: [{ program: "karmada-search", nodeSelector: {}, tolerations: [], apart: {}, required: false }],
      networkPolicies: true,
      timeoutSeconds,
    },
    identity: ["namespace", "deployment"],
    ignored: ["oldest", "databases", "ownPriorityClasses", "pods", "otherPods", "networkPolicies", "timeoutSeconds"],
  },
  "member-reach": {
    inputs: {
      members: { m1: { server: nowhere, syncMode: "Push", modeReason: "both are in the network a", from: ["host1"] } },
      hosts: { host1: host },
    },
    identity: [],
    ignored: [],
    failure: "none",
  },
  "member-apis": {
    inputs: {
      kubeconfigs: { m1: kubeconfig },
      selected: [{ apiVersion: "apps/v1", kind: "Deployment", by: ["PropagationPolicy default/web"], members: ["m1"] }],
      karmada: "1.18.2",
    },
    identity: [],
    ignored: ["kubeconfigs", "selected", "karmada"],
    dropped: ["kubeconfigs"],
    failure: "none",
  },
  "member-access": {
    inputs: {
      cluster: "member1",
      purpose: "agent",
      declaredBy: "karmada/test",
      karmadaKubeconfig: kubeconfig,
      memberKubeconfig: kubeconfig,
      rotate: "1",
      rotateEvery: "720h",
      timeoutSeconds,
    },
    identity: ["cluster", "purpose"],
    schemaVersion: 2,
    once: ["karmadaKubeconfig", "memberKubeconfig"],
    ignored: ["declaredBy", "karmadaKubeconfig", "rotateEvery", "timeoutSeconds"],
  },
  "agent-certificate": {
    inputs: {
      cluster: "member1",
      karmadaKubeconfig: kubeconfig,
      authority: authority.certificate,
      validSeconds: 3600,
      renewBeforeSeconds: 60,
      timeoutSeconds,
    },
    identity: ["cluster"],
    once: ["karmadaKubeconfig"],
    ignored: ["renewBeforeSeconds", "timeoutSeconds"],
  },
  "agent-home": {
    inputs: {
      cluster: "member1",
      namespace: "karmada-agent",
      deployment: "sample",
      declaredBy: "karmada/sample",
      karmadaKubeconfig: kubeconfig,
      memberKubeconfig: kubeconfig,
      pods: { nodeSelector: {}, tolerations: [] },
      timeoutSeconds,
    },
    identity: ["cluster", "namespace", "deployment"],
    once: ["karmadaKubeconfig", "memberKubeconfig"],
    ignored: ["declaredBy", "karmadaKubeconfig", "pods", "timeoutSeconds"],
  },
  "tokens-in-use": {
    inputs: {
      tokens: { member1: "2026-01-01T00:00:00Z" },
      karmadaKubeconfig: kubeconfig,
      tokenHolders: { runtime: { kind: "local", directory: join(tmpdir(), "nobody-here") }, programs: ["a"] },
    },
    identity: [],
    once: ["karmadaKubeconfig"],
    ignored: ["karmadaKubeconfig", "tokenHolders"],
  },
  "ways-in-use": {
    inputs: {
      ways: { member1: "abc" },
      holders: { runtime: { kind: "local", directory: join(tmpdir(), "nobody-here") }, programs: ["a"] },
      mayKnowOthers: true,
    },
    identity: [],
    ignored: ["holders", "mayKnowOthers"],
    failure: "none",
  },
  "superseded-tokens": {
    inputs: { cluster: "member1", purpose: "agent", memberKubeconfig: kubeconfig, kubeconfig, timeoutSeconds },
    identity: ["cluster", "purpose"],
    once: ["memberKubeconfig", "kubeconfig"],
    ignored: ["memberKubeconfig", "timeoutSeconds"],
  },
  "pulled-member": {
    inputs: {
      cluster: "member1",
      registered: "uid-1",
      declaredBy: "karmada/test",
      karmadaKubeconfig: kubeconfig,
      timeoutSeconds,
    },
    identity: ["cluster"],
    // It goes before its registration does, by which its name is known.
    unknownReplaces: ["cluster"],
    once: ["karmadaKubeconfig"],
    ignored: ["declaredBy", "timeoutSeconds"],
  },
  "etcd-health": { inputs: { ...etcd, expectedMembers: 1, timeoutSeconds }, identity: [] },
  "etcd-snapshot": {
    inputs: {
      ...etcd,
      deployment: "sample",
      keyPrefix: "/registry",
      karmadaVersion: "1.18.2",
      etcdVersion: "3.6.6",
      targets: [{ kind: "local", directory: join(tmpdir(), "no-snapshots-here") }],
      secretKeys: { 0: token },
      encryption: { kind: "none" },
      verify: "sha",
      scratch: tmpdir(),
      apartFrom: ["/nowhere"],
      reason: "on-demand",
      triggers: { ticket: "1" },
      required: true,
      onDelete: "keep",
    },
    identity: ["deployment", "reason", "triggers"],
    ignored: [
      ...["endpoints", "ca", "certificate", "key", "keyPrefix", "karmadaVersion", "etcdVersion"],
      ...["encryption", "scratch", "apartFrom", "required"],
    ],
  },
  "etcd-membership": {
    inputs: {
      token: "sample",
      runtime: { kind: "local", directory: join(tmpdir(), "not-there") },
      members: [{ name: "etcd-0", peerUrl: "https://127.0.0.1:31798", clientUrl: nowhere, revision: "a" }],
      version: "3.6.6",
      replace: {},
      defragment: { fragmentation: 0.45, size: 2 ** 27 },
      foreignMembers: "refuse",
      ca: authority.certificate,
      certificate: client.certificate,
      key: client.key,
      timeoutSeconds,
      plan: ["health: no member answers", "start etcd-0 as a new cluster of etcd 3.6.6; tolerates no loss"],
    },
    identity: ["token"],
    ignored: ["timeoutSeconds"],
    failure: /^etcd-0: starting revision a: nothing is prepared; its program and files have to be written first$/,
  },
  "external-etcd": {
    inputs: {
      ...etcd,
      ...{ prefix: "/karmada", owner: "sample", deployment: "prod", adopt: false, timeoutSeconds },
      ...{ cluster: "c1", runtime: { kind: "local", directory: "/deployment" }, programs: ["karmada-apiserver"] },
    },
    identity: ["prefix"],
    ignored: ["adopt", "runtime", "programs", "timeoutSeconds"],
  },
  "restore-aftermath": {
    inputs: { kubeconfig, generation: 1, clusters: ["member1"], removeOrphans: false, timeoutSeconds },
    identity: [],
    ignored: ["kubeconfig", "clusters", "timeoutSeconds"],
  },
  "simulated-nodes": {
    inputs: { kubeconfig, cluster: "paris", count: 2, cpu: "32", memory: "256Gi", pods: "110", timeoutSeconds },
    identity: [],
  },
  "host-preflight": {
    inputs: {
      deployment: "sample",
      hosts: { host1: { address: host, ports: { ssh: 22 }, reached: [], etcd: true, names: ["localhost"] } },
      left: {},
    },
    identity: ["deployment"],
    ignored: ["left"],
    schemaVersion: 2,
  },
  "pod-program": {
    inputs: { kubeconfig, namespace: "fleet", name: "etcd-backup", main: "lib/backup/main.ts", sha256: "0".repeat(64) },
    identity: ["namespace", "name"],
    ignored: [],
  },
  "host-programs": {
    inputs: { host, programs: { etcd: "0".repeat(64) }, sources: { etcd: "/etcd" }, mirror: { url: "http://m" } },
    identity: [],
    ignored: ["sources", "mirror"],
  },
  "host-process": {
    inputs: {
      host,
      name: "etcd-0",
      component: "etcd",
      program: "etcd",
      programSha256: "0".repeat(64),
      args: ["--name=etcd-0"],
      env: { GOMAXPROCS: "1" },
      files: {},
      probe: { kind: "tcp", port: 2379 },
      startSeconds: 1,
      stopSeconds: 1,
      notifies: true,
    },
    identity: ["name", "component"],
    ignored: ["startSeconds"],
  },
};
