import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scraper } from "../../components/scraper.ts";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { startCluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";

const port = 31480;

describe("the certificate for metrics, at a real API server", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "scraper-")));
  let client: KubeClient;
  let nobody: KubeClient;

  beforeAll(async () => {
    const cluster = await startCluster(programs, await startEtcd(programs, port + 10), { name: "scraped", port });
    client = await connect(await cluster.kubeconfigFor(scraper.commonName, scraper.organization));
    nobody = await connect(await cluster.kubeconfigFor("nobody"));
  }, 240_000);
  afterAll(async () => {
    for (const each of [client, nobody]) each?.close();
    await programs.remove();
  });

  /** Everything that somebody may do, a line for each verb of each thing. */
  const rightsOf = async (somebody: KubeClient): Promise<string[]> => {
    const review = await somebody.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectRulesReview",
        spec: { namespace: "default" },
      },
    });
    const { resourceRules, nonResourceRules } = review["status"] as Record<string, KubeObject[]>;
    const lines = [...resourceRules!, ...nonResourceRules!].flatMap(({ verbs, resources, nonResourceURLs }) =>
      (verbs as string[]).flatMap((verb) =>
        ((resources ?? nonResourceURLs) as string[]).map((thing) => `${verb} ${thing}`),
      ),
    );
    return [...new Set(lines)].sort();
  };

  test("reads them", async () => {
    expect(await client.request<string>("GET", "/metrics")).toMatch(/^apiserver_request_total\{/m);
    await expect(nobody.request("GET", "/metrics")).rejects.toMatchObject({ status: 403 });
  });

  test("may do no more than anybody but read metrics and health", async () => {
    const [own, everybodys] = [await rightsOf(client), await rightsOf(nobody)];
    expect(everybodys).toContain("get /version");
    expect(own.filter((right) => !everybodys.includes(right))).toEqual([
      "get /healthz/*",
      "get /livez/*",
      "get /metrics",
      "get /metrics/slis",
      "get /readyz/*",
      "get nodes/metrics", // what kubelets ask for, of which a control plane has none
    ]);
    for (const path of ["/api/v1/secrets", "/api/v1/namespaces", "/debug/pprof/"])
      await expect(client.request("GET", path)).rejects.toMatchObject({ status: 403 });
  });
});
