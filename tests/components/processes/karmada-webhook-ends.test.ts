/** What an end of karmada-webhook means for whoever is talking to it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { startEtcd } from "../../support/etcd.ts";
import { type KarmadaPlane, startKarmadaPlane } from "../../support/karmada-plane.ts";
import { Programs } from "../../support/running.ts";
import { callMeanwhile } from "../../support/slow-call.ts";

const port = 29300;
const programs = new Programs(mkdtempSync(join(tmpdir(), "webhook-ends-")));
let plane: KarmadaPlane;

jest.setTimeout(120_000);

beforeAll(async () => {
  plane = await startKarmadaPlane(programs, await startEtcd(programs, port), port + 10);
});
afterAll(() => programs.remove());

test("a call on its way when it is asked to end is answered, within the time it has to end", async () => {
  const kind = { group: "policy.karmada.io", version: "v1alpha1", kind: "PropagationPolicy" };
  const request = {
    uid: "of-a-slow-call",
    kind,
    resource: { group: kind.group, version: kind.version, resource: "propagationpolicies" },
    namespace: "default",
    name: "slow",
    operation: "CREATE",
    userInfo: {},
    object: {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name: "slow", namespace: "default" },
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "slow" }],
        placement: { clusterAffinity: { clusterNames: ["one"] } },
      },
    },
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  let ended: Promise<void> | undefined;
  const { status, text } = await callMeanwhile(
    `${plane.webhookUrl}/mutate-propagationpolicy`,
    JSON.stringify(review),
    () => {
      ended = plane.webhook.terminate();
    },
  );
  expect([status, JSON.parse(text).response]).toEqual([
    200,
    expect.objectContaining({ uid: request.uid, allowed: true, patchType: "JSONPatch" }),
  ]);
  await ended;
});
