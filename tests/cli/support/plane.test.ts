import { planeParts } from "../../../cli/support/plane.ts";
import { type Answering, answering } from "./answering.ts";
import { gathered } from "./gathered.ts";

let plane: Answering;
afterEach(() => plane.stop());

const condition = (type: string, status: string) => ({ type, status, reason: "Why", message: "because" });
const work = (name: string, ...conditions: object[]) => ({
  metadata: { namespace: "karmada-es-oslo", name },
  spec: { workload: { manifests: [{ kind: "Secret", data: { key: "aHVudGVyMg==" } }] } },
  status: { conditions },
});

test("of Works and bindings there is how many lack a condition and why, and nothing that they hold", async () => {
  const binding = { metadata: { namespace: "default", name: "web" }, spec: { resource: {} } };
  plane = await answering({
    "/apis/work.karmada.io/v1alpha1/works": {
      items: [work("good", condition("Applied", "True")), work("bad", condition("Applied", "False")), work("new")],
    },
    "/apis/work.karmada.io/v1alpha2/resourcebindings": {
      items: [{ ...binding, status: { conditions: [condition("Scheduled", "True")] } }],
    },
  });
  const { put, lacking } = await gathered(planeParts(plane.kubeconfig));
  expect(put["karmada/works.json"]).toEqual({
    total: 3,
    notApplied: 2,
    without: [
      { namespace: "karmada-es-oslo", name: "bad", conditions: [condition("Applied", "False")] },
      { namespace: "karmada-es-oslo", name: "new", conditions: [{ type: "Applied", status: "none" }] },
    ],
  });
  expect(put["karmada/resource-bindings.json"]).toEqual({
    total: 1,
    notScheduled: 0,
    notFullyApplied: 1,
    without: [{ namespace: "default", name: "web", conditions: [{ type: "FullyApplied", status: "none" }] }],
  });
  expect(JSON.stringify(put)).not.toContain("aHVudGVyMg==");
  expect(Object.keys(lacking).sort()).toEqual(
    ["cluster-resource-bindings", "clusters", "events"].map((name) => `karmada/${name}.json`),
  );
});

test("of Clusters there is all but headers for their proxy, of events what happened to what", async () => {
  plane = await answering({
    "/apis/cluster.karmada.io/v1alpha1/clusters": {
      items: [
        {
          metadata: {
            name: "oslo",
            managedFields: [{}],
            annotations: { "a/last-applied-configuration": "{}", b: "c" },
          },
          spec: { syncMode: "Push", proxyHeader: { Authorization: ["hunter2"] }, secretRef: { name: "oslo" } },
          status: { apiEnablements: [{}, {}], conditions: [condition("Ready", "True")] },
        },
      ],
    },
    "/api/v1/events": {
      items: [
        { lastTimestamp: "2026-02-01T00:00:00Z", reason: "Later", involvedObject: { kind: "Cluster", name: "oslo" } },
        { lastTimestamp: null, eventTime: "2026-01-01T00:00:00.000000Z", reason: "Earlier", involvedObject: {} },
      ],
    },
  });
  const { put } = await gathered(planeParts(plane.kubeconfig));
  expect(put["karmada/clusters.json"]).toEqual([
    {
      metadata: { name: "oslo", annotations: { b: "c" } },
      spec: { syncMode: "Push", proxyHeader: ["Authorization"], secretRef: { name: "oslo" } },
      status: { apiEnablements: 2, conditions: [condition("Ready", "True")] },
    },
  ]);
  expect(put["karmada/events.json"]).toMatchObject([
    { last: "2026-01-01T00:00:00.000000Z", reason: "Earlier" },
    { last: "2026-02-01T00:00:00Z", reason: "Later", about: { kind: "Cluster", name: "oslo" } },
  ]);
});
