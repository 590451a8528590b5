import type { Platform, Program, ProgramSet } from "../program.ts";

const linux: readonly Platform[] = ["linux/amd64", "linux/arm64"];

/** https://kubernetes.io/releases/download/ */
export const kubernetes = (version: string): ProgramSet => {
  const [major = "", minor = ""] = version.split(".");
  const base = "k8s.io/component-base/version";
  return {
    name: `kubernetes-${version}`,
    build: {
      stamps: {
        [`${base}.gitVersion`]: `v${version}`,
        [`${base}.gitMajor`]: major,
        [`${base}.gitMinor`]: minor,
        [`${base}.gitTreeState`]: "clean",
        "k8s.io/client-go/pkg/version.gitVersion": `v${version}`,
        "k8s.io/client-go/pkg/version.gitMajor": major,
        "k8s.io/client-go/pkg/version.gitMinor": minor,
      },
    },
    programs: [
      server(version, "kube-apiserver", "the API server of the control plane and of local members"),
      server(version, "kube-controller-manager", "namespaces, garbage collection, certificates"),
      server(version, "kube-scheduler", "schedules pods in local members"),
      server(version, "kube-proxy", "Services on a host's own node", { platforms: linux }),
      program(version, "kubelet", "pods on a host's own node", { platforms: linux }),
      program(version, "kubectl", "the client of every Kubernetes API", {
        versionArgs: ["version", "--client"],
        release: release("kubectl"),
        image: { reference: "registry.k8s.io/kubectl:v{version}", member: "/bin/kubectl" },
      }),
    ],
  };
};

const server = (version: string, name: string, purpose: string, more: Partial<Program> = {}): Program =>
  program(version, name, purpose, {
    image: { reference: `registry.k8s.io/${name}:v{version}`, member: `/usr/local/bin/${name}` },
    ...more,
  });

const program = (version: string, name: string, purpose: string, more: Partial<Program> = {}): Program => ({
  name,
  version,
  purpose,
  kind: "executable",
  main: name,
  versionArgs: ["--version"],
  // Server programs are released for linux only; elsewhere the module serves.
  release: { ...release(name), platforms: linux },
  module: { kind: "build", module: "k8s.io/kubernetes", package: `k8s.io/kubernetes/cmd/${name}` },
  ...more,
});

const release = (name: string) => ({
  address: `https://dl.k8s.io/v{version}/bin/{os}/{arch}/${name}`,
  checksums: `https://dl.k8s.io/v{version}/bin/{os}/{arch}/${name}.sha256`,
});
