import type { Program, ProgramSet } from "../program.ts";

/** https://github.com/prometheus-operator/prometheus-operator: what objects for it are held against in tests. */
export const prometheusOperator = (version: string): ProgramSet => ({
  name: `prometheus-operator-${version}`,
  testsOnly: true,
  build: {},
  programs: [
    {
      ...files(version, "prometheus-operator-crds", "example/prometheus-operator-crd"),
      purpose: "custom resource definitions of prometheus-operator, for the tests of monitoring",
      entries: ["podmonitors", "probes", "prometheuses", "prometheusrules", "servicemonitors"].map(
        (kind) => `monitoring.coreos.com_${kind}.yaml`,
      ),
    },
    {
      ...files(version, "prometheus-operator-rights", "example/rbac"),
      purpose: "how prometheus-operator is installed, and the rights of its Prometheus",
      entries: ["prometheus-operator/", "prometheus/"],
    },
  ],
});

/** The same, running. */
export const prometheusOperatorPods = (version: string): ProgramSet => ({
  name: `prometheus-operator-pods-${version}`,
  testsOnly: true,
  late: true,
  build: {},
  programs: [
    pod(version, "prometheus-operator", "operator"),
    pod(version, "prometheus-config-reloader", "prometheus-config-reloader"),
  ],
});

const module = "github.com/prometheus-operator/prometheus-operator";

const files = (version: string, name: string, directory: string) =>
  ({ name, version, kind: "files", main: name, module: { kind: "directory", module, directory } }) as const;

const pod = (version: string, name: string, command: string): Program => ({
  name,
  version,
  purpose: "makes a Prometheus out of objects, for the tests of monitoring",
  kind: "executable",
  main: name,
  image: { reference: `quay.io/prometheus-operator/${name}:v{version}`, member: `/bin/${command}` },
  module: { kind: "build", module, package: `${module}/cmd/${command}` },
});
