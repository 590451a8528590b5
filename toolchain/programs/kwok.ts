import type { ProgramSet } from "../program.ts";

/**
 * https://github.com/kubernetes-sigs/kwok/releases; modules/ pins what it shares with CoreDNS to the same versions, so
 * that four of five packages of CoreDNS are compiled once for both.
 */
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
  ],
});
