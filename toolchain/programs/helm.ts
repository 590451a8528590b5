import type { ProgramSet } from "../program.ts";

/** https://github.com/helm/helm/releases */
export const helm = (version: string): ProgramSet => ({
  name: `helm-${version}`,
  build: { stamps: { "helm.sh/helm/v4/internal/version.version": `v${version}` } },
  programs: [
    {
      name: "helm",
      version,
      purpose: "renders the charts of addons",
      kind: "executable",
      main: "helm",
      versionArgs: ["version", "--short"],
      release: {
        address: "https://get.helm.sh/helm-v{version}-{os}-{arch}.tar.gz",
        checksums: "https://get.helm.sh/helm-v{version}-{os}-{arch}.tar.gz.sha256sum",
        member: "{os}-{arch}/helm",
      },
      module: { kind: "build", module: "helm.sh/helm/v4", package: "helm.sh/helm/v4/cmd/helm" },
    },
  ],
});
