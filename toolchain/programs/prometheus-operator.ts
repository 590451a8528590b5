import type { ProgramSet } from "../program.ts";

/** https://github.com/prometheus-operator/prometheus-operator: what objects for it are held against in tests. */
export const prometheusOperator = (version: string): ProgramSet => ({
  name: `prometheus-operator-${version}`,
  testsOnly: true,
  build: {},
  programs: [
    {
      name: "prometheus-operator-crds",
      version,
      purpose: "custom resource definitions of prometheus-operator, for the tests of monitoring",
      kind: "files",
      main: "crds",
      entries: ["podmonitors", "prometheusrules"].map((kind) => `monitoring.coreos.com_${kind}.yaml`),
      module: {
        kind: "directory",
        module: "github.com/prometheus-operator/prometheus-operator",
        directory: "example/prometheus-operator-crd",
      },
    },
  ],
});
