import type { ProgramSet } from "../program.ts";

/** Of the stage files, the same in the tagged source and in the module. */
const stagesSha256: Readonly<Record<string, string>> = {
  "0.8.0": "6994db9c3f2b7d5367ef752f0ac4a0bcbae821c73544ca7e683421fc15e448fc",
};

/** https://github.com/kubernetes-sigs/kwok/releases */
export const kwok = (version: string): ProgramSet => ({
  name: `kwok-${version}`,
  build: { stamps: { "sigs.k8s.io/kwok/pkg/consts.Version": `v${version}` } },
  programs: [
    {
      name: "kwok",
      version,
      purpose: "plays the nodes and pods of local members",
      kind: "executable",
      main: "kwok",
      versionArgs: ["--version"],
      release: {
        address: "https://github.com/kubernetes-sigs/kwok/releases/download/v{version}/kwok-{os}-{arch}",
        checksums: "https://api.github.com/repos/kubernetes-sigs/kwok/releases/tags/v{version}",
      },
      image: { reference: "registry.k8s.io/kwok/kwok:v{version}", member: "/usr/local/bin/kwok" },
      module: { kind: "build", module: "sigs.k8s.io/kwok", package: "sigs.k8s.io/kwok/cmd/kwok" },
    },
    {
      name: "kwok-stages",
      version,
      purpose: "how kwok moves nodes and pods from state to state",
      kind: "files",
      main: "stages",
      entries: [
        "node/fast/node-initialize.yaml",
        "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
        "pod/fast/pod-ready.yaml",
        "pod/fast/pod-complete.yaml",
        "pod/fast/pod-delete.yaml",
      ],
      ...(stagesSha256[version] === undefined ? {} : { contentSha256: stagesSha256[version] }),
      release: {
        address: "https://github.com/kubernetes-sigs/kwok/archive/refs/tags/v{version}.tar.gz",
        member: "kwok-{version}/kustomize/stage",
      },
      module: { kind: "directory", module: "sigs.k8s.io/kwok", directory: "kustomize/stage" },
    },
  ],
});
