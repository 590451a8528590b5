import type { ProgramSet } from "../program.ts";

/** https://github.com/coredns/coredns/releases; modules/ builds a slim one, with only the plugins a cluster's own names need. */
export const coredns = (version: string): ProgramSet => ({
  name: `coredns-${version}`,
  build: {},
  programs: [
    {
      name: "coredns",
      version,
      purpose: "names of Services on a host's own node",
      kind: "executable",
      main: "coredns",
      versionArgs: ["-version"],
      release: {
        address: "https://github.com/coredns/coredns/releases/download/v{version}/coredns_{version}_{os}_{arch}.tgz",
        checksums:
          "https://github.com/coredns/coredns/releases/download/v{version}/coredns_{version}_{os}_{arch}.tgz.sha256",
        member: "coredns",
      },
      image: { reference: "registry.k8s.io/coredns/coredns:v{version}", member: "/coredns" },
      module: { kind: "build", module: "github.com/coredns/coredns", package: `toolchain/coredns-${version}` },
    },
  ],
});
