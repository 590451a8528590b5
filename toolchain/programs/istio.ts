import type { ProgramSet } from "../program.ts";

/** https://github.com/istio/istio, as it is on the way to 1.31: its module is served at no released version. */
export const istio = (version: string): ProgramSet => ({
  name: `istio-${version}`,
  testsOnly: true,
  late: true,
  // Those of Istio's own builds, and what it tells of itself where its charts name a tag.
  build: {
    tags: ["vtprotobuf", "disable_pgv"],
    stamps: { [`${module}/pkg/version.buildVersion`]: version, [`${module}/pkg/version.buildStatus`]: "Clean" },
  },
  programs: [
    {
      name: "istiod",
      version,
      purpose: "a mesh's control plane, for the test of Istio's charts in a member",
      kind: "executable",
      main: "pilot-discovery",
      requiredTags: ["vtprotobuf"],
      module: { kind: "build", module, package: `${module}/pilot/cmd/pilot-discovery` },
    },
    {
      name: "istio-charts",
      version,
      purpose: "Istio's charts base and istiod, for the same test",
      kind: "files",
      main: "charts",
      entries: ["base/", "istio-control/istio-discovery/"],
      module: { kind: "directory", module, directory: "manifests/charts" },
    },
  ],
});

const module = "istio.io/istio";
