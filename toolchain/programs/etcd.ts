import type { Program, ProgramSet } from "../program.ts";

/** https://github.com/etcd-io/etcd/releases */
export const etcd = (version: string): ProgramSet => ({
  name: `etcd-${version}`,
  build: {},
  programs: [
    etcdProgram(version, "etcd", "server", "keeps the state of the control plane and of local members", ["--version"]),
    etcdProgram(version, "etcdctl", "etcdctl", "etcd's client: members, snapshots, alarms", ["version"]),
    etcdProgram(version, "etcdutl", "etcdutl", "works on etcd's files: snapshot status and restore", ["version"]),
  ],
});

function etcdProgram(
  version: string,
  name: string,
  module: string,
  purpose: string,
  versionArgs: readonly string[],
): Program {
  const releases = "https://github.com/etcd-io/etcd/releases/download/v{version}";
  return {
    name,
    version,
    purpose,
    kind: "executable",
    main: name,
    versionArgs,
    release: {
      address: `${releases}/etcd-v{version}-{os}-{arch}.tar.gz`,
      checksums: `${releases}/SHA256SUMS`,
      member: `etcd-v{version}-{os}-{arch}/${name}`,
      // For darwin the release has a zip file; the module serves there.
      platforms: ["linux/amd64", "linux/arm64"],
    },
    image: { reference: "quay.io/coreos/etcd:v{version}", member: `/usr/local/bin/${name}` },
    module: { kind: "build", module: `go.etcd.io/etcd/${module}/v3`, package: `go.etcd.io/etcd/${module}/v3` },
  };
}
