import type { ProgramSet } from "../program.ts";

/** https://www.pulumi.com/docs/iac/download-install/versions/ */
export const pulumi = (version: string): ProgramSet => ({
  name: `pulumi-${version}`,
  build: { stamps: { "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${version}` } },
  programs: [
    {
      name: "pulumi",
      version,
      purpose: "runs the program: preview, up, destroy",
      kind: "executable",
      main: "pulumi",
      versionArgs: ["version"],
      release: {
        address: "https://get.pulumi.com/releases/sdk/pulumi-v{version}-{os}-{arch}.tar.gz",
        checksums: "https://github.com/pulumi/pulumi/releases/download/v{version}/pulumi-{version}-checksums.txt",
        member: "pulumi/pulumi",
        companions: ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs", "pulumi-analyzer-policy"],
        words: { amd64: "x64" },
      },
      module: {
        kind: "build",
        module: "github.com/pulumi/pulumi/pkg/v3",
        package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      },
    },
  ],
});
