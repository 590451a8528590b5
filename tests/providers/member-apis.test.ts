import { mkdtempSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { provider } from "../../providers/member-apis-impl.ts";
import type { SelectedKind } from "../../spec/policies/selected-kinds.ts";
import type { Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startLightClusters } from "../support/light-clusters.ts";
import { Programs } from "../support/running.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

const programs = new Programs(mkdtempSync(join(tmpdir(), "member-apis-")));
const port = 22640;
let paris: Cluster;
let oslo: Cluster;

beforeAll(async () => {
  const etcd = await startEtcd(programs, port);
  [paris, oslo] = (await startLightClusters(programs, etcd, ["paris", "oslo"], port + 4)) as [Cluster, Cluster];
}, 180_000);
afterAll(() => programs.remove());

const kind = (apiVersion: string, kind: string, members = ["paris", "oslo"]): SelectedKind => ({
  apiVersion,
  kind,
  by: ["PropagationPolicy default/games"],
  members,
});
const game = kind("games.example.org/v1", "Game");

/** What a preview says. */
async function said(selected: SelectedKind[], kubeconfigs: Record<string, string>, karmada = "1.18.2") {
  const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
  try {
    const { failures, inputs } = await provider.check({}, { kubeconfigs, selected, karmada });
    expect([failures, inputs.kubeconfigs]).toEqual([[], {}]);
    return warn.mock.calls.flat() as string[];
  } finally {
    warn.mockRestore();
  }
}

const both = () => ({ paris: paris.kubeconfig, oslo: oslo.kubeconfig });
const places = "which PropagationPolicy default/games places there";
const nothingNew = "\nKarmada puts nothing new of it into such members: ";
const noDefinition = `${nothingNew}bring its CustomResourceDefinition there, by an addon for instance, or choose other members`;

test("what is served everywhere is nothing to speak of", async () => {
  const selected = [
    kind("apps/v1", "Deployment"),
    kind("v1", "ConfigMap"),
    kind("autoscaling/v2", "HorizontalPodAutoscaler"),
  ];
  expect(await said(selected, both())).toEqual([]);
});

test("a kind whose definition is not there is named once, with the members that lack it", async () => {
  expect(await said([game], both())).toEqual([
    `paris, oslo: games.example.org/v1 Game, ${places}, is not served there${noDefinition}`,
  ]);
  await paris.client.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "games.games.example.org" },
    spec: {
      group: "games.example.org",
      names: { kind: "Game", plural: "games" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const end = Date.now() + 20_000;
  while ((await paris.client.find("/apis/games.example.org/v1")) === undefined && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await said([game], both())).toEqual([
    `oslo: games.example.org/v1 Game, ${places}, is not served there${noDefinition}`,
  ]);
  expect(await said([{ ...game, members: ["paris"] }], both())).toEqual([]);
  expect(await said([kind("games.example.org/v2", "Game", ["paris"])], both())).toEqual([
    `paris: games.example.org/v2 Game, ${places}, is served there as games.example.org/v1 only${nothingNew}` +
      "name a version that the control plane and all members serve, or choose other members",
  ]);
}, 60_000);

test("a version that Kubernetes has taken away is named with those there are, and a kind of Kubernetes that there never was", async () => {
  expect(
    await said([kind("autoscaling/v2beta2", "HorizontalPodAutoscaler"), kind("apps/v1", "Deploiment")], both()),
  ).toEqual([
    expect.stringMatching(
      /^paris, oslo: autoscaling\/v2beta2 HorizontalPodAutoscaler, .*, is served there as autoscaling\/v2, autoscaling\/v1 only\n/,
    ),
    `paris, oslo: apps/v1 Deploiment, ${places}, is not served there${nothingNew}correct its version and kind, or choose other members`,
  ]);
});

test("a member that does not answer, that says no, or is still to be made holds nothing up", async () => {
  const silent = await startSlowProxy(port + 4, Infinity);
  const nobody = await paris.kubeconfigFor("nobody");
  const begin = performance.now();
  const found = await said([game], {
    ...{ silent: paris.kubeconfig.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${silent.port}`) },
    ...{ dead: paris.kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") },
    oslo: nobody.replace(paris.server, oslo.server),
    paris: undefined as never,
  });
  silent.close();
  expect(found).toEqual([]);
  expect((performance.now() - begin) / 1000).toBeLessThan(4);
});

describe("a member of a version that Karmada is not tested with", () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close()));

  /** A kubeconfig of a member that is nothing but a version. */
  async function ofVersion(gitVersion: string): Promise<string> {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ gitVersion }));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port: own } = server.address() as { port: number };
    return JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "a", users: [{ name: "a", user: { token: "t" } }] },
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${own}` } }],
    });
  }

  test("is named, older or newer, with the versions that are", async () => {
    const kubeconfigs = {
      old: await ofVersion("v1.25.16+k3s4"),
      older: await ofVersion("v1.25.16+k3s4"),
      oldest: await ofVersion("v1.26.0"),
      newest: await ofVersion("v1.35.9-eks-1"),
      newer: await ofVersion("v1.36.0"),
      odd: await ofVersion("unknown"),
    };
    const advice = "\nnothing is refused for it: try what you use there, or bring the member to one of these versions";
    expect(await said([], kubeconfigs)).toEqual([
      `old, older: Kubernetes v1.25.16+k3s4 there, Karmada 1.18.2 is tested with members of 1.26 to 1.35${advice}`,
      `newer: Kubernetes v1.36.0 there, Karmada 1.18.2 is tested with members of 1.26 to 1.35${advice}`,
    ]);
    expect(await said([], kubeconfigs, "1.99.0")).toEqual([]);
  });
});
