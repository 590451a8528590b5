import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../../../lib/kube/client.ts";
import { dumpApi } from "../../support/api-dump.ts";
import { eventually, type Kubectl } from "./kubectl.ts";

const deployment = "/apis/apps/v1/namespaces/kept/deployments/web";
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };

/** Places a Deployment, in a namespace of its own, in every member. */
export async function placeEverywhere(kubectl: Kubectl): Promise<void> {
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "kept" } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "kept" },
      spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template },
    },
    {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "web", namespace: "kept" },
      spec: { resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }], placement: {} },
    },
  ];
  await kubectl(["create", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
}

/** The UID of that Deployment in a member, once it is there and Karmada's. */
export async function placedIn(member: KubeClient): Promise<string> {
  const found = await eventually(
    () => member.find(deployment),
    (object) => object?.metadata?.labels?.["karmada.io/managed"] === "true",
    60,
  );
  return found!.metadata!.uid!;
}

/** What a member that has left has beyond what it had before, and what it lacks of that or has otherwise. */
export async function changedSince(member: KubeClient, before: Record<string, unknown>) {
  const now = await dumpApi(member);
  return {
    more: Object.keys(now).filter((title) => !(title in before)),
    otherwise: Object.keys(before).filter((title) => !isDeepStrictEqual(now[title], before[title])),
  };
}

/** The UID of that Deployment, and the labels of it and its namespace: Karmada's are to be gone. */
export async function whatIsKept(member: KubeClient) {
  const [kept, namespace] = await Promise.all([member.get(deployment), member.get("/api/v1/namespaces/kept")]);
  return {
    uid: kept.metadata?.uid,
    labels: kept.metadata?.labels,
    ofNamespace: namespace.metadata?.labels,
  };
}
