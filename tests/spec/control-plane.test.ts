import fc from "fast-check";
import { problemsOf } from "./configuration.ts";
import { resolve } from "../../spec/resolve.ts";
import { context } from "./configuration.ts";

test("a mistyped flag or feature gate is refused by name, with the one that was meant", () => {
  const controlPlane = {
    "kube-apiserver": { extraArgs: { "max-request-inflight": 3000 }, featureGates: { ContextualLoging: true } },
    "karmada-controller-manager": { featureGates: { Failovr: true } },
  };
  expect(problemsOf({ controlPlane })).toEqual([
    'controlPlane.kube-apiserver.extraArgs.max-request-inflight: kube-apiserver 1.35.3 has no flag of this name, did you mean "max-requests-inflight"?',
    'controlPlane.kube-apiserver.featureGates.ContextualLoging: kube-apiserver 1.35.3 has no feature gate of this name, did you mean "ContextualLogging"?',
    'controlPlane.karmada-controller-manager.featureGates.Failovr: karmada-controller-manager 1.18.2 has no feature gate of this name, did you mean "Failover"?',
  ]);
});

test("failover is switched on with its feature gate, at a rate above nothing", () => {
  const gated = { "karmada-controller-manager": { featureGates: { Failover: false } } };
  expect(problemsOf({ controlPlane: { failover: { enabled: true }, ...gated } })).toEqual([
    "controlPlane.karmada-controller-manager.featureGates.Failover: got false, want it left out: controlPlane.failover.enabled switches it on",
  ]);
  expect(problemsOf({ controlPlane: gated })).toEqual([]);
  expect(problemsOf({ controlPlane: { failover: { evictionsPerSecond: 0, purge: "Never" } } })).toEqual([
    "controlPlane.failover.evictionsPerSecond: got 0, want a number above 0, at most 1000",
    'controlPlane.failover.purge: got "Never", want "Gracefully" or "Directly"',
  ]);
  expect(resolve({}, context).controlPlane.failover).toEqual({
    enabled: false,
    evictionsPerSecond: 10,
    purge: "Gracefully",
  });
});

test("a feature gate that only a later Karmada knows is refused for an earlier one", () => {
  const controlPlane = { "karmada-scheduler": { featureGates: { SchedulingOvercommitProtection: true } } };
  expect(problemsOf({ controlPlane })).toEqual([]);
  expect(problemsOf({ controlPlane, versions: { karmada: "1.17.1" } })).toEqual([
    "controlPlane.karmada-scheduler.featureGates.SchedulingOvercommitProtection: karmada-scheduler 1.17.1 has no feature gate of this name",
  ]);
});

test("a program without feature gates is said to have none", () => {
  expect(problemsOf({ controlPlane: { "karmada-descheduler": { featureGates: { Failover: true } } } })).toEqual([
    "controlPlane.karmada-descheduler.featureGates.Failover: karmada-descheduler 1.18.2 has no feature gates",
  ]);
});

test("flags that others rely on cannot be set by hand", () => {
  const controlPlane = {
    "kube-apiserver": { extraArgs: { "secure-port": 6443, "etcd-servers": "http://127.0.0.1:2379" } },
    "karmada-agent": { extraArgs: { "cluster-name": "other" } },
    "karmada-scheduler": { extraArgs: { "feature-gates": "Failover=true" } },
  };
  expect(problemsOf({ controlPlane, etcd: { kind: "managed", extraArgs: { "quota-backend-bytes": 1 } } })).toEqual([
    "etcd.extraArgs.quota-backend-bytes: want the size of the database in etcd.quota",
    "controlPlane.kube-apiserver.extraArgs.secure-port: this flag is set by the placement, which gives every program its address and ports",
    "controlPlane.kube-apiserver.extraArgs.etcd-servers: this flag is set from what etcd and the certificates are",
    "controlPlane.karmada-scheduler.extraArgs.feature-gates: want feature gates in featureGates",
    "controlPlane.karmada-agent.extraArgs.cluster-name: this flag is set from what etcd and the certificates are",
  ]);
});

test("flags are written without their dashes", () => {
  expect(problemsOf({ etcd: { kind: "managed", extraArgs: { "--max-txn-ops": 256 } } })).toEqual([
    'etcd.extraArgs.--max-txn-ops: this key is not allowed, want a flag without its leading dashes, such as "max-requests-inflight"',
  ]);
});

test("serving components have one replica here, controllers up to five", () => {
  const replicas = (component: string, count: number) =>
    problemsOf({ controlPlane: { [component]: { replicas: count } } });
  const serving = ["kube-apiserver", "karmada-aggregated-apiserver", "karmada-webhook", "karmada-search"];
  fc.assert(
    fc.property(fc.constantFrom(...serving, "karmada-metrics-adapter"), fc.integer({ min: 2, max: 5 }), (name, n) => {
      expect(replicas(name, n)).toEqual([
        `controlPlane.${name}.replicas: got ${n}, want 1 with placement.kind "local": it has no load balancer in front of several`,
      ]);
    }),
  );
  expect(replicas("karmada-scheduler", 5)).toEqual([]);
  expect(replicas("karmada-scheduler", 0)).toEqual([
    "controlPlane.karmada-scheduler.replicas: got 0, want a whole number from 1 to 5",
  ]);
});

test.each([
  [{ kubernetes: "1.34.3" }],
  [{ karmada: "1.17.1", kubernetes: "1.34.3", etcd: "3.6.8" }],
  [{ karmada: "1.17.1" }],
])("the versions %j are installed together", (versions) => {
  expect(resolve({ versions }, context).versions).toMatchObject(versions);
});
