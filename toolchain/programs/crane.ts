import type { ProgramSet } from "../program.ts";

/** https://github.com/google/go-containerregistry/releases */
export const crane = (version: string): ProgramSet => ({
  name: `crane-${version}`,
  build: {
    stamps: {
      "github.com/google/go-containerregistry/cmd/crane/cmd.Version": version,
      "github.com/google/go-containerregistry/pkg/v1/remote/transport.Version": version,
    },
  },
  programs: [
    {
      name: "crane",
      version,
      purpose: "takes images out of registries and puts them into others",
      kind: "executable",
      main: "crane",
      versionArgs: ["version"],
      release: {
        address: `${releases}/go-containerregistry_{os}_{arch}.tar.gz`,
        checksums: `${releases}/checksums.txt`,
        member: "crane",
        words: { linux: "Linux", darwin: "Darwin", amd64: "x86_64" },
      },
      module: {
        kind: "build",
        module: "github.com/google/go-containerregistry",
        package: "github.com/google/go-containerregistry/cmd/crane",
      },
    },
  ],
});

const releases = "https://github.com/google/go-containerregistry/releases/download/v{version}";
