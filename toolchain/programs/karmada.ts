import type { Program, ProgramSet } from "../program.ts";

/** Without it the scheduler, the descheduler and the estimator panic at the first estimated workload (upstream's hack/build.sh sets it). */
export const protobufTag = "kubernetes_protomessage_one_more_release";

/** Of crds/bases and crds/patches, the same in the release asset and in the module. */
const crdsSha256: Readonly<Record<string, string>> = {
  "1.18.2": "05d07c4b35ee1610415d1e1c5dd38af2cb4a00df8a033f1723282411afd6c73a",
  "1.17.1": "e1cf1c86c2c178904fef09aa754e64fa4f60f6a0590bf1294ebc41b0530e3532",
};

/** https://github.com/karmada-io/karmada/releases and docker.io/karmada: the servers are published as images only. */
export const karmada = (version: string): ProgramSet => ({
  name: `karmada-${version}`,
  build: {
    tags: [protobufTag],
    stamps: {
      "github.com/karmada-io/karmada/pkg/version.gitVersion": `v${version}`,
      "github.com/karmada-io/karmada/pkg/version.gitTreeState": "clean",
    },
  },
  programs: [
    server(version, "karmada-aggregated-apiserver", "aggregated-apiserver", "the cluster.karmada.io API"),
    server(version, "karmada-controller-manager", "controller-manager", "clusters, policies, works, execution"),
    server(version, "karmada-scheduler", "scheduler", "chooses the member clusters of a workload"),
    server(version, "karmada-webhook", "webhook", "checks and completes Karmada's objects"),
    server(version, "karmada-descheduler", "descheduler", "takes back replicas that cannot run"),
    server(version, "karmada-search", "karmada-search", "search and proxy over all members"),
    server(version, "karmada-metrics-adapter", "metrics-adapter", "metrics of all members for autoscaling"),
    server(version, "karmada-scheduler-estimator", "scheduler-estimator", "how many replicas fit into a member"),
    server(version, "karmada-agent", "agent", "serves a member in Pull mode"),
    karmadactl(version),
    crds(version),
  ],
});

const server = (version: string, name: string, command: string, purpose: string): Program => ({
  name,
  version,
  purpose,
  kind: "executable",
  main: name,
  versionArgs: ["version"],
  requiredTags: [protobufTag],
  image: { reference: `docker.io/karmada/${name}:v{version}`, member: `/bin/${name}` },
  module: {
    kind: "build",
    module: "github.com/karmada-io/karmada",
    package: `github.com/karmada-io/karmada/cmd/${command}`,
  },
});

const releases = "https://github.com/karmada-io/karmada/releases/download/v{version}";

const karmadactl = (version: string): Program => ({
  name: "karmadactl",
  version,
  purpose: "Karmada's client: join, register, promote",
  kind: "executable",
  main: "karmadactl",
  versionArgs: ["version"],
  release: {
    address: `${releases}/karmadactl-{os}-{arch}.tgz`,
    checksums: `${releases}/karmadactl-{os}-{arch}.tgz.sha256`,
    member: "karmadactl",
  },
  module: {
    kind: "build",
    module: "github.com/karmada-io/karmada",
    package: "github.com/karmada-io/karmada/cmd/karmadactl",
  },
});

const crds = (version: string): Program => ({
  name: "karmada-crds",
  version,
  purpose: "Karmada's custom resource definitions: bases/ and patches/",
  kind: "files",
  main: "crds",
  entries: ["bases/", "patches/"],
  ...(crdsSha256[version] === undefined ? {} : { contentSha256: crdsSha256[version] }),
  release: { address: `${releases}/crds.tar.gz`, member: "crds" },
  module: {
    kind: "directory",
    module: "github.com/karmada-io/karmada",
    directory: "charts/karmada/_crds",
  },
});
