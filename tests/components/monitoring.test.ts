import { ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { createAuthority } from "../support/certificates.ts";
import type { ProcessTarget } from "../../lib/monitoring/monitored.ts";

const registered = await withMocks({
  ...ofPki,
});
const pulumi = await import("@pulumi/pulumi");
const { monitoringOf, scrapeTargets } = await import("../../components/monitoring.ts");
const { pkiArgs, planAll } = await import("../../components/karmada-plan.ts");
const { Pki } = await import("../../components/pki.ts");

const on = { enabled: true };
const placement = { ...fakePlacement(), hostName: (process: string) => `host of ${process}` };
const planOf = (config: Readonly<Record<string, unknown>>) => planAll(deploymentOf(config) as never, placement);
const targetsOf = (config: Readonly<Record<string, unknown>>) =>
  scrapeTargets(planOf(config), placement) as ProcessTarget[];
const simulated = { kind: "simulated" };

afterAll(settled);

test("everything that answers for metrics is a target, by its own port if it has one, else by the one that asks for a certificate", () => {
  const targets = targetsOf({
    etcd: { kind: "managed", members: 1 },
    controlPlane: {
      "karmada-search": on,
      "karmada-metrics-adapter": on,
      "karmada-descheduler": on,
      "karmada-scheduler-estimator": on,
    },
    snapshots: { targets: [{ kind: "local", directory: "/backup" }], schedule: { cron: "0 * * * *" } },
    members: [{ name: "m1", syncMode: "Pull", credentials: simulated }],
  });
  expect(
    targets.map(({ process, component, address, scheme }) => [process, component, `${scheme}://${address}`]),
  ).toEqual([
    ["etcd-0", "etcd", "http://127.0.0.1:8080"],
    ["karmada-apiserver", "kube-apiserver", "https://127.0.0.1:6443"],
    ["kube-controller-manager", "kube-controller-manager", "https://127.0.0.1:6443"],
    ["karmada-aggregated-apiserver", "karmada-aggregated-apiserver", "https://127.0.0.1:6443"],
    ["karmada-webhook", "karmada-webhook", "http://127.0.0.1:8080"],
    ["karmada-search", "karmada-search", "https://127.0.0.1:6443"],
    ["karmada-metrics-adapter", "karmada-metrics-adapter", "http://127.0.0.1:8080"],
    ["karmada-controller-manager", "karmada-controller-manager", "http://127.0.0.1:8080"],
    ["karmada-scheduler", "karmada-scheduler", "http://127.0.0.1:8080"],
    ["karmada-descheduler", "karmada-descheduler", "http://127.0.0.1:8080"],
    ["etcd-backup", "etcd-backup", "http://127.0.0.1:10080"],
    ["m1-karmada-agent", "karmada-agent", "http://127.0.0.1:8080"],
    ["m1-karmada-scheduler-estimator", "karmada-scheduler-estimator", "http://127.0.0.1:8080"],
  ]);
  expect(targets.map(({ member }) => member).filter(Boolean)).toEqual(["m1", "m1"]);
  expect(targets.map(({ host }) => host)).toEqual(targets.map(({ process }) => `host of ${process}`));
});

test("members of etcd are told apart by their cluster, those of others are none of ours", async () => {
  const overrides = [{ name: "events", resources: ["/events"], members: 1 }];
  const clusters = targetsOf({ etcd: { kind: "managed", members: 3, overrides } }).flatMap(
    ({ process, etcdCluster }) => (etcdCluster === undefined ? [] : [[process, etcdCluster]]),
  );
  expect(clusters).toEqual([
    ["etcd-0", "test"],
    ["etcd-1", "test"],
    ["etcd-2", "test"],
    ["etcd-events-0", "test.events"],
  ]);
  const { certificate, key } = await createAuthority("etcd");
  const external = { kind: "external", endpoints: ["https://10.0.0.1:2379"], ca: certificate, certificate, key };
  expect(targetsOf({ etcd: external }).filter(({ component }) => component === "etcd")).toEqual([]);
});

test("pods are found by their label, and show a certificate with the name of their Service", () => {
  const copied = { ...fakePlacement(), copies: true, monitoredPods: { namespace: "fleet", from: ["monitoring"] } };
  const deployment = deploymentOf({ members: [{ name: "7seas", syncMode: "Pull", credentials: simulated }] }) as never;
  const targets = scrapeTargets(planAll(deployment, copied), copied);
  const of = (component: string) => targets.filter((target) => target.component === component);
  expect(of("karmada-webhook")).toEqual([
    {
      process: "karmada-webhook",
      component: "karmada-webhook",
      scheme: "http",
      instance: "karmada-webhook",
      copies: 1,
      port: "metrics",
      serverName: "karmada-webhook.test",
    },
  ]);
  expect(of("kube-apiserver")).toEqual([
    expect.objectContaining({ scheme: "https", port: "secure", serverName: "karmada-apiserver.test" }),
  ]);
  expect(of("karmada-agent")).toEqual([
    expect.objectContaining({ member: "7seas", instance: expect.stringMatching(/^m-7seas-karmada-agent-/) }),
  ]);
});

test("there is one certificate more, and only where it is wanted", async () => {
  const requestsOf = (config: Readonly<Record<string, unknown>>) => {
    const deployment = deploymentOf(config) as never;
    return pkiArgs(deployment, planAll(deployment, placement), placement).requests.map(({ name }) => name);
  };
  const without = requestsOf({});
  expect(without).not.toContain("monitoring");
  expect(requestsOf({ monitoring: on })).toEqual([...without, "monitoring"]);

  const { certificate: front, key: frontKey } = await createAuthority("front-proxy");
  const authorities = { "front-proxy": { certificate: front, key: frontKey } };
  const deployment = deploymentOf({ monitoring: on, pki: { renewBefore: "240h", authorities } }) as never;
  const plan = planAll(deployment, placement);
  const pki = new Pki("pki", pkiArgs(deployment, plan, placement));
  const { key, certificate, authority, targets: _, ...plain } = monitoringOf(deployment, plan, { placement, pki });
  expect(plain).toEqual({
    deployment: "test",
    renewBeforeSeconds: 240 * 3600,
    authorities: { renewBeforeSeconds: 8760 * 3600, given: ["ca-front-proxy"] },
  });
  expect(await Promise.all([certificate, authority].map((each) => valueOf(pulumi.output(each))))).toEqual([
    "CERT",
    "CA",
  ]);
  expect(await pulumi.isSecret(pulumi.output(key))).toBe(true);
  const request = registered.find(({ name }) => name === "pki-monitoring-request");
  expect(request?.inputs["subject"]).toEqual({
    commonName: "system:karmada:monitoring",
    organization: "system:monitoring",
  });
});
