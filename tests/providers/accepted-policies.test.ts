import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { DeclaredObject } from "../../providers/accepted-policies.ts";
import { provider } from "../../providers/accepted-policies-impl.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 31950;

jest.setTimeout(120_000);

describe("policies that a real Karmada is asked about", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "accepted-")));
  let plane: KarmadaPlane;

  beforeAll(async () => {
    plane = await startKarmadaPlane(programs, await startEtcd(programs, port + 10), port);
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  const policy = (spec: object, namespace = "default"): DeclaredObject => ({
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "web", namespace },
    spec: { resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }], ...spec },
  });
  const failures = async (olds: DeclaredObject[] | undefined, news: DeclaredObject[]) => {
    const inputs = (objects: DeclaredObject[]) => ({ objects, karmadaKubeconfig: plane.kubeconfig });
    const { failures: found = [] } = await provider.check(olds ? inputs(olds) : {}, inputs(news));
    return found.map(({ reason }) => reason);
  };
  const denied =
    'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: the schedulerName should not be updated';

  test("are accepted, and not written; what lacks its namespace is none of its business", async () => {
    expect(await failures(undefined, [policy({}), policy({}, "later")])).toEqual([]);
    const path = "/apis/policy.karmada.io/v1alpha1/propagationpolicies";
    expect((await plane.client.get<{ items: object[] }>(path)).items).toEqual([]);
  });

  test("are refused by the schema and by webhooks, new or changed", async () => {
    expect(await failures(undefined, [policy({ placement: "everywhere" })])).toEqual([
      expect.stringMatching(/^PropagationPolicy default\/web: .*denied the request: .*spec\.placement/) as string,
    ]);
    await plane.client.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/web", policy({}));
    expect(await failures([policy({})], [policy({ priority: 3 })])).toEqual([]);
    expect(await failures([policy({})], [policy({ schedulerName: "by-price" })])).toEqual([denied]);
  });

  test("that are as they were are not asked about again, and nobody is where no API answers", async () => {
    const same = policy({ schedulerName: "by-price" });
    expect(await failures([same], [same])).toEqual([]);
    await plane.apiServer.terminate();
    expect(await failures(undefined, [same])).toEqual([]);
  });
});
