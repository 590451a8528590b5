import { mkdtempSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { jest } from "@jest/globals";
import { provider as apiGate } from "../../providers/api-gate-impl.ts";
import { provider as apiReady } from "../../providers/api-ready-impl.ts";
import { provider as karmadaCrds } from "../../providers/karmada-crds-impl.ts";
import { provider as servedApis } from "../../providers/served-apis-impl.ts";
import { provider as planeVersions } from "../../providers/plane-versions-impl.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { createAuthority } from "../support/certificates.ts";
import { kubeconfigOf, startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Lead } from "../support/lead.ts";
import { Programs } from "../support/running.ts";

const port = 31770;
const crdPath = (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;

jest.setTimeout(120_000);

/** What is wrong with the certificate of an API server that goes. */
interface Old {
  readonly expired?: boolean;
  readonly other?: boolean;
}

describe("a real API server", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "api-")));
  let cluster: Cluster;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 2);
    cluster = await startCluster(programs, etcd, { name: "plane", port });
  });
  afterAll(async () => {
    await programs.remove();
  });

  describe("ApiReady", () => {
    test("gives the kubeconfig on once the server is ready, and again after it was away", async () => {
      const inputs = { kubeconfig: cluster.kubeconfig, timeoutSeconds: 60 };
      const { id, outs } = await apiReady.create(inputs);
      expect({ id, outs }).toEqual({ id: cluster.server, outs: { ...inputs, schemaVersion: 1 } });
      expect((await apiReady.read(id, outs)).props).toEqual(outs);
      await cluster.apiServer.kill();
      const drift = [`not ready: ${cluster.server}: connection refused, nothing listens there`];
      expect((await apiReady.read(id, outs)).props).toEqual({ ...outs, drift });
      const [again] = await Promise.all([apiReady.update(id, { ...outs, drift }, inputs), cluster.restart()]);
      expect(again.outs).toEqual(outs);
    });

    test("says in the preview what is wrong with a kubeconfig", async () => {
      const expired = await cluster.authority.issue({ commonName: "admin", expired: true });
      const kubeconfig = kubeconfigOf(cluster.server, cluster.authority.certificate, expired);
      expect((await apiReady.check({}, { kubeconfig, timeoutSeconds: 1 })).failures).toEqual([
        { property: "kubeconfig", reason: expect.stringMatching(/^kubeconfig: its client certificate expired on /) },
      ]);
      expect((await apiReady.check({}, { kubeconfig: "secret", timeoutSeconds: 1 })).failures).toEqual([
        { property: "kubeconfig", reason: "kubeconfig: does not parse as YAML or JSON with a mapping at the top" },
      ]);
    });

    test("does not wait for a server that will never be trusted, nor longer than told for one that is away", async () => {
      const other = await createAuthority("other");
      const leaf = await other.issue({ commonName: "admin", organization: "system:masters" });
      const distrusted = kubeconfigOf(cluster.server, other.certificate, leaf);
      await expect(apiReady.create({ kubeconfig: distrusted, timeoutSeconds: 60 })).rejects.toThrow(
        `${cluster.server}: the server's certificate is not signed by the kubeconfig's authority`,
      );
      const away = kubeconfigOf("https://127.0.0.1:31799", cluster.authority.certificate, leaf);
      await expect(apiReady.create({ kubeconfig: away, timeoutSeconds: 0.3 })).rejects.toThrow(
        "waited 0.3s for the API server to be ready: https://127.0.0.1:31799: connection refused",
      );
      const nameless = kubeconfigOf("https://no.such.name.invalid:5443", cluster.authority.certificate, leaf);
      await expect(apiReady.create({ kubeconfig: nameless, timeoutSeconds: 3 })).rejects.toThrow(
        /^waited 3s for the API server to be ready: https:\/\/no\.such\.name\.invalid:5443: the host name (is not known|cannot be looked up now)/,
      );
    });

    test("waits while it is led to a server that still has the certificate of before, without the name that it asks by", async () => {
      const { authority } = cluster;
      const issue = (host: string) => authority.issue({ commonName: "server", hosts: [host] });
      const [before, after] = await Promise.all(["10.0.0.1", "127.0.0.1"].map(issue));
      const server = createServer({ cert: before!.certificate, key: before!.key }, (_, response) => response.end("ok"));
      await new Promise<void>((listens) => server.listen(port + 21, "127.0.0.1", listens));
      try {
        const kubeconfig = cluster.kubeconfig.replace(cluster.server, `https://127.0.0.1:${port + 21}`);
        await expect(apiReady.create({ kubeconfig, timeoutSeconds: 0.5 })).rejects.toThrow(
          /^waited 0\.5s for the API server to be ready: .* does not match certificate's altnames/,
        );
        const ready = apiReady.create({ kubeconfig, timeoutSeconds: 10 });
        setTimeout(() => server.setSecureContext({ cert: after!.certificate, key: after!.key }), 500);
        expect((await ready).outs).toMatchObject({ kubeconfig });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    test.each([
      ["has ended", { expired: true }, "the server's certificate has expired"],
      ["an authority of before signed", { other: true }, "not signed by the kubeconfig's authority"],
    ])("after a change waits for one that goes, whose certificate %s", async (_, { expired, other }: Old, said) => {
      const issuer = other ? await createAuthority("other") : cluster.authority;
      const before = await issuer.issue({ commonName: "server", hosts: ["127.0.0.1"], expired: expired ?? false });
      const after = await cluster.authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
      const server = createServer({ cert: before.certificate, key: before.key }, (_, response) => response.end("ok"));
      await new Promise<void>((listens) => server.listen(port + 21, "127.0.0.1", listens));
      try {
        const kubeconfig = cluster.kubeconfig.replace(cluster.server, `https://127.0.0.1:${port + 21}`);
        const [inputs, state] = [
          { kubeconfig, timeoutSeconds: 0.5 },
          { kubeconfig, timeoutSeconds: 1, schemaVersion: 1 },
        ];
        await expect(apiReady.create({ kubeconfig, timeoutSeconds: 60 })).rejects.toThrow(said);
        await expect(apiReady.update("id", state, inputs)).rejects.toThrow(
          "waited 0.5s for the API server to be ready",
        );
        await expect(apiReady.update("id", state, inputs)).rejects.toThrow(said);
        const ready = apiReady.update("id", state, { ...inputs, timeoutSeconds: 20 });
        setTimeout(() => server.setSecureContext({ cert: after.certificate, key: after.key }), 500);
        expect((await ready).outs).toMatchObject({ kubeconfig });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    test("after a change is not content as long as it is led to one server in turn with another that goes", async () => {
      const { authority } = cluster;
      const issue = (host: string) => authority.issue({ commonName: "server", hosts: [host] });
      const [before, after] = await Promise.all(["10.0.0.1", "localhost"].map(issue));
      let shown = 0;
      const contexts = [after!, before!].map(({ certificate: cert, key }) => createSecureContext({ cert, key }));
      const next = (_: string, use: (error: null, context: SecureContext) => void) => use(null, contexts[shown++ % 2]!);
      const answer = (_: unknown, response: ServerResponse) => response.end("ok");
      const server = createServer({ SNICallback: next, cert: after!.certificate, key: after!.key }, answer);
      await new Promise<void>((listens) => server.listen(port + 21, "127.0.0.1", listens));
      try {
        const named = cluster.kubeconfig.replace(cluster.server, `https://localhost:${port + 21}`);
        expect(named).toContain("localhost");
        const inputs = { kubeconfig: named, timeoutSeconds: 2 };
        await expect(apiReady.update("id", { ...inputs, schemaVersion: 1 }, inputs)).rejects.toThrow(/altnames/);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    test("goes by an address in front of the server, and sees in a refresh when that leads nowhere any more", async () => {
      const front = await new Lead("127.0.0.1", port + 20, { port }).open();
      const endpoint = `https://127.0.0.1:${port + 20}`;
      const kubeconfig = cluster.kubeconfig.replace(cluster.server, endpoint);
      const { id, outs } = await apiReady.create({ kubeconfig, timeoutSeconds: 10 });
      expect(id).toBe(endpoint);
      expect((await apiReady.read(id, outs)).props).not.toHaveProperty("drift");
      front.close();
      expect((await apiReady.read(id, outs)).props?.["drift"]).toEqual([
        `not ready: ${endpoint}: connection refused, nothing listens there`,
      ]);
    });
  });

  describe("KarmadaCrds", () => {
    const inputs = (more = {}) => ({
      kubeconfig: cluster.kubeconfig,
      version: "1.18.2",
      webhookUrl: "https://127.0.0.1:31799/convert",
      caBundle: cluster.authority.certificate,
      timeoutSeconds: 60,
      ...more,
    });
    let outs: Record<string, unknown>;

    test("applies all 19 and returns when each is served", async () => {
      const begin = performance.now();
      ({ outs } = await karmadaCrds.create(inputs()));
      console.log(`19 definitions served after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
      expect(outs.names).toHaveLength(19);
      expect(outs.hash).toMatch(/^[0-9a-f]{64}$/);
      for (const name of outs.names as string[]) {
        const { status } = await cluster.client.get(crdPath(name));
        expect(status.conditions).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
      }
    });

    test("again changes nothing", async () => {
      expect((await karmadaCrds.update("x", outs, inputs())).outs).toEqual(outs);
      expect((await karmadaCrds.read("x", outs)).props).toEqual(outs);
    });

    test("what was changed or deleted by hand is named, and put right", async () => {
      const works = await cluster.client.get(crdPath("works.work.karmada.io"));
      await cluster.client.merge(crdPath("works.work.karmada.io"), { spec: { names: { shortNames: ["w"] } } });
      await cluster.client.delete(crdPath("remedies.remedy.karmada.io"));
      const gone = async () => (await cluster.client.find(crdPath("remedies.remedy.karmada.io"))) === undefined;
      while (!(await gone()));
      const seen = await karmadaCrds.read("x", outs);
      const generation = (works.metadata as KubeObject).generation as number;
      expect(seen.props.drift).toEqual([
        "remedies.remedy.karmada.io: is gone",
        `works.work.karmada.io: was changed by hand (generation ${generation} to ${generation + 1})`,
      ]);
      const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
      const repaired = (await karmadaCrds.update("x", seen.props, inputs())).outs;
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/^remedies\.remedy\.karmada\.io: made again, but /)]]);
      warn.mockRestore();
      expect(repaired.hash).toBe(outs.hash);
      expect((await karmadaCrds.read("x", repaired)).props).toEqual(repaired);
      const now = await cluster.client.get(crdPath("works.work.karmada.io"));
      expect(now.spec.names.shortNames).toEqual(works.spec.names.shortNames);
      outs = repaired;
    });

    test("another webhook changes the hash and the two definitions it converts", async () => {
      const moved = inputs({ webhookUrl: "https://127.0.0.1:31798/convert" });
      const after = (await karmadaCrds.update("x", outs, moved)).outs;
      expect(after.hash).not.toBe(outs.hash);
      const { spec } = await cluster.client.get(crdPath("resourcebindings.work.karmada.io"));
      expect(spec.conversion.webhook.clientConfig.url).toBe("https://127.0.0.1:31798/convert");
    });

    test("delete leaves them: policies and works would go with them", async () => {
      await karmadaCrds.delete("x", outs);
      expect((await karmadaCrds.read("x", outs)).id).toBe("x");
    });

    test("a version the toolchain does not have is refused by name", async () => {
      await expect(karmadaCrds.create(inputs({ version: "1.0.0" }))).rejects.toThrow(/karmada-crds 1\.0\.0/);
    });
  });

  describe("PlaneVersions", () => {
    const inputs = (karmada: string, kubernetes: string, allowDowngrade = false) => ({
      ...{ karmada, kubernetes, allowDowngrade },
      karmadaKubeconfig: cluster.kubeconfig,
    });
    const failures = async (olds: object, news: ReturnType<typeof inputs>) => {
      const { failures: found = [] } = await planeVersions.check(olds, news);
      return found.map(({ property, reason }) => `${property}: ${reason}`);
    };

    test("lets patches and the next minor version through, and a plane that is new", async () => {
      expect(await failures({}, inputs("1.17.1", "1.34.3"))).toEqual([]);
      expect(await failures(inputs("1.18.2", "1.35.3"), inputs("1.19.0", "1.36.1"))).toEqual([]);
      expect(await failures(inputs("1.18.2", "1.35.3"), inputs("1.18.0", "1.35.9"))).toEqual([]);
    });

    test("refuses older and skipped minor versions of what is there, unless that is meant", async () => {
      const then = inputs("1.18.2", "1.35.3");
      const refusals = [
        "karmada: Karmada's definitions 1.20.0: 1.18.2 is there, and nobody promises that the versions before 1.20.0 can be skipped\n" +
          "go by way of what is between, stay at 1.18.2, or mean it with versions.allowDowngrade: true",
        "kubernetes: kube-apiserver 1.34.3: 1.35.3 is there, and nobody promises that 1.34.3 reads what it has written\n" +
          "go by way of what is between, stay at 1.35.3, or mean it with versions.allowDowngrade: true",
      ];
      expect(await failures(then, inputs("1.20.0", "1.34.3"))).toEqual(refusals);
      expect(await failures(then, inputs("1.20.0", "1.34.3", true))).toEqual([]);
    });

    test("refuses to leave API servers without the keys by which they read", async () => {
      const then = inputs("1.18.2", "1.35.3");
      expect(await failures({ ...then, encryption: "secretbox" }, then)).toEqual([
        "encryption: API servers could not read what is encrypted in etcd\n" +
          'set controlPlane.encryption.provider to "identity" first, run up, then take it out',
      ]);
      expect(await failures({ ...then, encryption: "identity" }, then)).toEqual([]);
      expect(await failures(then, { ...then, encryption: "secretbox" } as never)).toEqual([]);
    });

    test("refuses another kind of etcd, which has none of the data, and a state that does not know of one goes on", async () => {
      const then = inputs("1.18.2", "1.35.3");
      const at = (etcd: "managed" | "external") => ({ ...then, etcd });
      const move =
        'a new deployment moves them by a snapshot: docs/recovery.md, "A: to other hosts, or another data centre"; ' +
        "where there is nothing to keep yet, destroy this one first";
      expect(await failures(at("managed"), at("external"))).toEqual([
        "etcd: this Karmada has its data in a managed etcd, which would be deleted with them\n" +
          `set etcd.kind: managed again; ${move}`,
      ]);
      expect(await failures(at("external"), at("managed"))).toEqual([
        "etcd: this Karmada has its data in an external etcd, and a managed one would begin without them\n" +
          `set etcd.kind: external again; ${move}`,
      ]);
      for (const kind of ["managed", "external"] as const) {
        expect(await failures({}, at(kind))).toEqual([]);
        expect(await failures(then, at(kind))).toEqual([]);
        expect(await failures(at(kind), at(kind))).toEqual([]);
        expect(await planeVersions.diff("id", { ...then, schemaVersion: 1 }, at(kind))).toMatchObject({
          changes: false,
        });
      }
    });

    test("refuses another placement, which has none of a managed etcd's data, and an external one stays where it is", async () => {
      const then = inputs("1.18.2", "1.35.3");
      const at = (placement: "local" | "hosts" | "kubernetes", etcd = "managed") => ({ ...then, etcd, placement });
      expect(await failures(at("local"), at("hosts"))).toEqual([
        "placement: this Karmada has its data in an etcd of placement.kind: local, and one of placement.kind: hosts would begin without them\n" +
          'set placement.kind: local again; a new deployment moves them by a snapshot: docs/recovery.md, "A: to other hosts, or another data centre"; ' +
          "where there is nothing to keep yet, destroy this one first",
      ]);
      expect(await failures(at("hosts"), at("kubernetes"))).toHaveLength(1);
      expect(await failures(at("hosts", "external"), at("kubernetes", "external"))).toEqual([]);
      for (const before of [{}, then, { ...then, etcd: "managed" }, at("kubernetes")])
        expect(await failures(before, at("kubernetes"))).toEqual([]);
      expect(await planeVersions.diff("id", { ...then, schemaVersion: 1 }, at("hosts"))).toMatchObject({
        changes: false,
      });
    });

    test("refuses to take the gate of MultiClusterServices away while what it starts still holds some", async () => {
      const then = inputs("1.18.2", "1.35.3");
      const gated = (multiClusterServices: boolean) => ({ ...then, multiClusterServices });
      const path = "/apis/networking.karmada.io/v1alpha1/namespaces/default/multiclusterservices";
      const kind = { apiVersion: "networking.karmada.io/v1alpha1", kind: "MultiClusterService" };
      const finalizers = ["karmada.io/multiclusterservice-controller"];
      for (const [name, held] of Object.entries({ web: { finalizers }, shop: { finalizers }, free: {} })) {
        const service = { ...kind, metadata: { name, ...held }, spec: { types: ["CrossCluster"] } };
        await cluster.client.create(path, service);
      }
      expect(await failures(gated(true), gated(false))).toEqual([
        "multiClusterServices: karmada-controller-manager without the feature gate MultiClusterService never lets go of what it " +
          "holds: MultiClusterService default/shop, default/web\n" +
          "set the gate to true again, take the addons with them away and run up, then take the gate away",
      ]);
      const silent = { karmadaKubeconfig: cluster.kubeconfig.replace(String(port), String(port + 19)) };
      expect(await failures(gated(true), { ...gated(false), ...silent })).toEqual([]);
      for (const before of [{}, then, gated(false)]) expect(await failures(before, gated(false))).toEqual([]);
      expect(await failures(gated(true), gated(true))).toEqual([]);
      expect(await planeVersions.diff("id", { ...then, schemaVersion: 1 }, gated(true))).toMatchObject({
        changes: false,
      });
      for (const name of ["web", "shop"]) {
        await cluster.client.merge(`${path}/${name}`, { metadata: { finalizers: null } });
        await cluster.client.delete(`${path}/${name}`);
      }
      expect(await failures(gated(true), gated(false))).toEqual([]);
    });

    test("goes by what runs: an upgrade that never came to it can be taken back", async () => {
      const declared = inputs("1.19.0", "1.36.1");
      expect(await failures(declared, inputs("1.18.2", "1.35.3"))).toEqual([]);
      expect(await failures(declared, inputs("1.17.1", "1.35.3"))).toEqual([
        expect.stringMatching(/^karmada: Karmada's definitions 1\.17\.1: 1\.18\.2 is there/),
      ]);
    });

    test("goes by what was declared where nobody answers", async () => {
      const silent = { karmadaKubeconfig: cluster.kubeconfig.replace(String(port), String(port + 19)) };
      const [declared, now] = [inputs("1.19.0", "1.35.3"), { ...inputs("1.18.2", "1.35.3"), ...silent }];
      expect(await failures(declared, now)).toEqual([
        expect.stringMatching(/^karmada: Karmada's definitions 1\.18\.2: 1\.19\.0 is there/),
      ]);
    });
  });

  describe("ApiGate", () => {
    test("stays shut while clusters are not served, and says which call failed", async () => {
      const inputs = { kubeconfig: cluster.kubeconfig, timeoutSeconds: 0.5 };
      await expect(apiGate.create(inputs)).rejects.toThrow(
        "waited 0.5s for the Karmada API to work: GET /apis/cluster.karmada.io/v1alpha1/clusters: 404",
      );
    });
  });

  describe("ServedApis", () => {
    const api = "search.karmada.io/v1alpha1";
    const name = "v1alpha1.search.karmada.io";
    const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
    let backend: Server;

    beforeAll(async () => {
      const { certificate, key } = await cluster.authority.issue({
        commonName: "karmada-search",
        hosts: ["karmada-search.default.svc"],
      });
      backend = createServer({ cert: certificate, key }, (request, response) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion: api, resources: [] }));
      });
      const externalName = { type: "ExternalName", externalName: "127.0.0.1" };
      await cluster.client.create("/api/v1/namespaces/default/services", {
        metadata: { name: "karmada-search" },
        spec: externalName,
      });
      await cluster.client.create(apiServices, {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name },
        spec: {
          group: "search.karmada.io",
          version: "v1alpha1",
          groupPriorityMinimum: 2000,
          versionPriority: 10,
          caBundle: Buffer.from(cluster.authority.certificate).toString("base64"),
          service: { name: "karmada-search", namespace: "default", port: port + 8 },
        },
      });
    });
    afterAll(async () => {
      await cluster.client.delete(`${apiServices}/${name}`);
      await cluster.client.delete("/api/v1/namespaces/default/services/karmada-search");
      await new Promise((closed) => backend.close(closed));
    });

    test("waits for what is passed on, and says what the aggregation layer does of a backend that is not there", async () => {
      const inputs = { kubeconfig: cluster.kubeconfig, apis: ["apps/v1", api], timeoutSeconds: 2 };
      const gone = /503 .*: failing or missing response from https:\/\/127\.0\.0\.1:\d+\/.* connection refused/;
      await expect(servedApis.create(inputs)).rejects.toThrow(gone);
      await expect(servedApis.create(inputs)).rejects.toThrow(
        `waited 2s for the Karmada API to serve ${api}: GET /apis/${api}: 503`,
      );
      const waiting = servedApis.create({ ...inputs, timeoutSeconds: 60 });
      await new Promise<void>((listening) => backend.listen(port + 8, "127.0.0.1", listening));
      const { id, outs } = await waiting;
      expect((await servedApis.read(id, outs)).props).toEqual(outs);
    });

    test("tells on a refresh what is not passed on any more", async () => {
      const inputs = { kubeconfig: cluster.kubeconfig, apis: [api, "nowhere.karmada.io/v1"], timeoutSeconds: 60 };
      const { props } = await servedApis.read("", { ...inputs, schemaVersion: 1 });
      expect(props).toMatchObject({
        drift: [expect.stringMatching(/^not served: GET \/apis\/nowhere.karmada.io\/v1: 404/)],
      });
    });
  });
});
