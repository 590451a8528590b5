import type { ProgramSet } from "../program.ts";

/** https://github.com/prometheus/prometheus, of which version 3.N is module version 0.3NN: what is written for one is held against it. */
export const prometheus = (version: string): ProgramSet => ({
  name: `prometheus-${version}`,
  testsOnly: true,
  late: true,
  // It finds nothing but pods: what it takes for clouds is more than all the rest.
  build: { tags: ["remove_all_sd", "enable_kubernetes_sd"] },
  programs: [
    {
      name: "prometheus",
      version,
      purpose: "scrapes and evaluates what is written for it, for the tests of monitoring",
      kind: "executable",
      main: "prometheus",
      requiredTags: ["enable_kubernetes_sd"],
      module: { kind: "build", module, package: `${module}/cmd/prometheus` },
    },
  ],
});

const module = "github.com/prometheus/prometheus";
