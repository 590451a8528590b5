import type { CertificateRequest, Process } from "../../../components/process.ts";
import { resolveText } from "../support/fake-placement.ts";
import { allProcesses } from "../support/processes.ts";

const processes = allProcesses();
const requests = processes.flatMap((process) => process.certificates.map((request) => ({ process, request })));

/** The hosts a certificate is valid for, by its name. */
const hostsOf = (certificate: string): string[] => {
  const found = requests.find(({ request }) => request.name === certificate);
  if (found === undefined) throw new Error(`nobody asks for ${certificate}`);
  return (found.request.hosts ?? []).map((host) => resolveText(found.process, host));
};

describe("what processes ask for", () => {
  test("nobody is system:masters but the programs of simulated members, in their own member", () => {
    const masters = requests.filter(({ request }) => request.organization === "system:masters");
    expect(masters.map(({ process, request }) => [process.name, request.name])).toEqual([
      ["m1-kube-controller-manager", "member-m1-admin"],
      ["m1-kube-scheduler", "member-m1-admin"],
      ["m1-kwok", "member-m1-admin"],
    ]);
  });

  test("no certificate that serves may log in, except where etcd's gateway needs it", () => {
    const both = requests.filter(({ request }) => request.usages.length === 2).map(({ process }) => process.component);
    expect([...new Set(both)]).toEqual(["etcd"]);
  });

  test("requests of one name are one certificate: they never differ", () => {
    const byName = new Map<string, CertificateRequest>();
    for (const { request } of requests)
      expect(byName.set(request.name, byName.get(request.name) ?? request).get(request.name)).toEqual(request);
  });

  test("every component logs in as itself", () => {
    const users = processes
      .filter(({ component }) => component.startsWith("karmada-"))
      .map((process) => [
        process.component,
        process.certificates.find(({ name }) => name === process.component)?.commonName,
      ]);
    expect(users).toEqual([
      ["karmada-aggregated-apiserver", "system:karmada:karmada-aggregated-apiserver"],
      ["karmada-webhook", "system:karmada:karmada-webhook"],
      ["karmada-search", "system:karmada:karmada-search"],
      ["karmada-metrics-adapter", "system:karmada:karmada-metrics-adapter"],
      ["karmada-controller-manager", "system:karmada:karmada-controller-manager"],
      ["karmada-scheduler", "system:karmada:karmada-scheduler"],
      ["karmada-descheduler", "system:karmada:karmada-descheduler"],
    ]);
  });

  test("every file a process refers to is one it asks for or that its authorities give", () => {
    for (const process of processes) expect(unasked(process)).toEqual([]);
  });

  test("the control plane and simulated members never share an authority", () => {
    const authorities = (of: (process: Process) => boolean) => [
      ...new Set(requests.filter(({ process }) => of(process)).map(({ request }) => request.authority)),
    ];
    const simulated = (process: Process) => process.name.startsWith("m1-") || process.name === "simulated-etcd";
    expect(authorities(simulated)).toEqual(["simulated-etcd", "member-m1"]);
    expect(authorities((process) => !simulated(process))).toEqual(["etcd", "etcd-peer", "karmada", "front-proxy"]);
  });
});

describe("names that clients verify", () => {
  test("etcd: the host of each client and peer URL, and loopback", () => {
    for (const side of ["server", "peer"])
      expect(hostsOf(`etcd-2-${side}`)).toEqual(["etcd-2.test", "localhost", "127.0.0.1", "etcd-2"]);
  });

  test("the API server: its host, loopback, and what pods would call it", () => {
    expect(hostsOf("apiserver")).toEqual([
      "karmada-apiserver.test",
      "kubernetes.default.svc",
      "10.96.0.1",
      "localhost",
      "127.0.0.1",
    ]);
  });

  test.each(["karmada-aggregated-apiserver", "karmada-search", "karmada-metrics-adapter"])(
    "%s: the name of its Service inside Karmada, which is what the aggregator verifies",
    (component) => {
      expect(hostsOf(`${component}-server`)).toEqual([
        `${component}.karmada-system.svc`,
        `${component}.test`,
        "localhost",
        "127.0.0.1",
      ]);
    },
  );

  test("the webhook: the host of its URL", () => {
    expect(hostsOf("karmada-webhook-server")).toEqual(["karmada-webhook.test", "localhost", "127.0.0.1"]);
  });

  test("a simulated member's API server: its host and its own Service address", () => {
    expect(hostsOf("member-m1-apiserver")).toEqual([
      "m1-kube-apiserver.test",
      "kubernetes.default.svc",
      "10.97.0.1",
      "localhost",
      "127.0.0.1",
    ]);
  });
});

/** Certificates that a process's files name although it does not ask for them. */
function unasked(process: Process): string[] {
  const asked = process.certificates.map(({ name }) => name);
  return Object.values(process.files)
    .flatMap((source) => ("certificate" in source ? [source.certificate] : []))
    .filter((certificate) => !asked.includes(certificate));
}
