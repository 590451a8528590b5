import { ingressRule } from "../../../../../toolchain/plugins/kubernetes/ready/ingress.ts";
import type { View } from "../../../../../toolchain/plugins/kubernetes/ready/rule.ts";

const path = { path: "/a", pathType: "Prefix", backend: { service: { name: "nowhere", port: { number: 80 } } } };
const object = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "one", namespace: "empty" },
  spec: { rules: [{ http: { paths: [path] } }] },
  status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
};
const judge = (seen: Pick<View, "quietMs" | "waitedMs">) =>
  ingressRule.judge({
    object,
    written: object,
    previous: undefined,
    related: () => [],
    isListed: () => true,
    once: false,
    gone: false,
    ...seen,
  });
const warning = ["warning", 'No matching service found for ingress rule: "/a" -> "nowhere"'];

test("where no endpoints are ever seen, they are waited for a minute, and then gone on without", () => {
  expect(judge({ quietMs: undefined, waitedMs: 59_000 })).toMatchObject({ ready: false });
  expect(judge({ quietMs: undefined, waitedMs: 60_000 })).toMatchObject({
    ready: true,
    status: expect.arrayContaining([warning]),
  });
});

test("where others are seen, ten seconds after the last of them changed", () => {
  expect(judge({ quietMs: 9_000, waitedMs: 70_000 })).toMatchObject({ ready: false });
  expect(judge({ quietMs: 10_000, waitedMs: 10_500 })).toMatchObject({
    ready: true,
    status: expect.arrayContaining([warning]),
  });
});
