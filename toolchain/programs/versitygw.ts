import type { ProgramSet } from "../program.ts";

/** https://github.com/versity/versitygw/releases: what the tests take for any S3 server. */
export const versitygw = (version: string): ProgramSet => ({
  name: `versitygw-${version}`,
  testsOnly: true,
  build: { stamps: { "main.Version": version } },
  programs: [
    {
      name: "versitygw",
      version,
      purpose: "an S3 server for the tests of snapshots",
      kind: "executable",
      main: "versitygw",
      versionArgs: ["--version"],
      release: {
        address: `${releases}/versitygw_v{version}_{os}_{arch}.tar.gz`,
        checksums: `${releases}/checksums.txt`,
        member: "versitygw_v{version}_{os}_{arch}/versitygw",
        words: { linux: "Linux", darwin: "Darwin", amd64: "x86_64" },
      },
      module: {
        kind: "build",
        module: "github.com/versity/versitygw",
        package: "github.com/versity/versitygw/cmd/versitygw",
      },
    },
  ],
});

const releases = "https://github.com/versity/versitygw/releases/download/v{version}";
