import { resolve } from "../../spec/resolve.ts";
import { context, problemsOf } from "./configuration.ts";

test("nobody is let in to metrics unless the stack file says so", () => {
  expect(resolve({}, context).monitoring).toEqual({ enabled: false });
  expect(problemsOf({ monitoring: { enabled: true } })).toEqual([]);
  expect(problemsOf({ monitoring: { enabled: "yes" } })).toEqual(['monitoring.enabled: got "yes", want true or false']);
});

test("pods, which are closed to all others, have to let somebody in", () => {
  const placement = {
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig: "kubeconfig" },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  };
  const problemsWith = (networkPolicies: object) =>
    problemsOf({ placement: { ...placement, networkPolicies }, monitoring: { enabled: true } }).filter((line) =>
      line.startsWith("placement.networkPolicies"),
    );
  expect(problemsWith({})).toEqual([
    'placement.networkPolicies.metricsFrom: got none, want the namespace of Prometheus, "monitoring" for that of kube-prometheus, with monitoring.enabled: metrics of pods are closed to all others',
  ]);
  expect(problemsWith({ metricsFrom: ["monitoring"] })).toEqual([]);
  expect(problemsWith({ enabled: false })).toEqual([]);
});
