import { clusterObject } from "../../../lib/members/cluster-object.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { wayDrift } from "../../../lib/members/way-drift.ts";

const endpoint = { apiEndpoint: "https://10.0.0.7:6443", caBundle: "ca", insecureSkipTLSVerification: false };
const memberKubeconfig = tokenKubeconfig("paris", endpoint, "t");
const credentials = { token: "t", impersonatorToken: "i", ca: "ca", since: "2026-11-20T10:00:00Z" };
const declaredBy = "karmada/test" as const;
const registration = { cluster: "paris", uid: "u", endpoint, credentials, syncMode: "Push" as const, declaredBy };
const written = (proxy?: string) =>
  clusterObject(undefined, { ...registration, description: proxy === undefined ? {} : { proxy }, before: {} });

test("a Cluster as it was written is no difference, nor is one that says nothing of what is not so", () => {
  const way = { cluster: "paris", memberKubeconfig };
  expect(wayDrift(written(), way)).toEqual([]);
  const { insecureSkipTLSVerification: _, ...spec } = written().spec as Record<string, unknown>;
  expect(wayDrift({ spec }, way)).toEqual([]);
  expect(wayDrift({ spec: { ...spec, proxyURL: "" } }, way)).toEqual([]);
});

test.each([
  ["apiEndpoint", "https://10.0.0.8:6443"],
  ["insecureSkipTLSVerification", true],
  ["proxyURL", "http://me:p4ss@10.0.0.1:3128"],
  ["secretRef", { namespace: "default", name: "paris" }],
  ["impersonatorSecretRef", undefined],
])("%s that was changed by hand is found, and its value not told", (field, value) => {
  const { spec } = written();
  expect(wayDrift({ spec: { ...spec, [field]: value } }, { cluster: "paris", memberKubeconfig })).toEqual([
    `${field} of the Cluster: was changed`,
  ]);
});

test("a proxy that is declared is not compared with that of the kubeconfig", () => {
  const proxy = "socks5://tunnel:1080";
  expect(wayDrift(written(proxy), { cluster: "paris", memberKubeconfig, proxy })).toEqual([]);
});
