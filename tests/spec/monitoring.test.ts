import { resolve } from "../../spec/resolve.ts";
import { context, problemsOf } from "./configuration.ts";

test("nobody is let in to metrics unless the stack file says so", () => {
  expect(resolve({}, context).monitoring).toEqual({ enabled: false });
  expect(problemsOf({ monitoring: { enabled: true } })).toEqual([]);
  expect(problemsOf({ monitoring: { enabled: "yes" } })).toEqual(['monitoring.enabled: got "yes", want true or false']);
});

test("in pods there are no addresses to write down", () => {
  const placement = {
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig: "kubeconfig" },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  };
  const problems = problemsOf({ placement, monitoring: { enabled: true } }).filter((line) =>
    line.startsWith("monitoring"),
  );
  expect(problems).toEqual([
    'monitoring.enabled: got true, want false with placement.kind "kubernetes": addresses of pods change; a Prometheus of the host cluster finds them by itself, and placement.networkPolicies.metricsFrom lets it in',
  ]);
});
