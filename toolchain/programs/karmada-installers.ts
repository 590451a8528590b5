import type { ProgramSet } from "../program.ts";
import { protobufTag } from "./karmada.ts";

/** What else installs Karmada in a host cluster, as far as karmadactl is not it: the tests take over what these have built. */
export const karmadaInstallers = (version: string): ProgramSet => ({
  name: `karmada-installers-${version}`,
  testsOnly: true,
  build: {
    // The same as of Karmada's servers, whose packages are built by then.
    tags: [protobufTag],
    stamps: {
      // Its images of Karmada have this version if its object does not say otherwise.
      [`${module}/pkg/version.gitVersion`]: `v${version}`,
      [`${module}/pkg/version.gitTreeState`]: "clean",
    },
  },
  programs: [
    {
      name: "karmada-operator",
      version,
      purpose: "builds Karmadas from objects, for the tests of adoption",
      kind: "executable",
      main: "karmada-operator",
      versionArgs: ["version"],
      image: { reference: "docker.io/karmada/karmada-operator:v{version}", member: "/bin/karmada-operator" },
      module: { kind: "build", module, package: `${module}/operator/cmd/operator` },
    },
    {
      name: "karmada-operator-config",
      version,
      purpose: "how karmada-operator is installed: its custom resource definition, its Deployment and its rights",
      kind: "files",
      main: "config",
      entries: ["crds/", "deploy/"],
      module: { kind: "directory", module, directory: "operator/config" },
    },
    {
      name: "karmada-chart",
      version,
      purpose: "Karmada's Helm chart without the chart it depends on, for the tests of adoption",
      kind: "files",
      main: "karmada",
      entries: ["Chart.yaml", "values.yaml", "templates/", "_crds/"],
      module: { kind: "directory", module, directory: "charts/karmada" },
    },
  ],
});

const module = "github.com/karmada-io/karmada";
