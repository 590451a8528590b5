import type { Program, ProgramSet } from "../program.ts";

/** https://github.com/kubernetes-sigs/apiserver-network-proxy: both ends of a tunnel, whose images an example takes. */
export const networkProxy = (version: string): ProgramSet => ({
  name: `apiserver-network-proxy-${version}`,
  testsOnly: true,
  build: {},
  programs: [
    end("server", version, "the near end of a tunnel into a member, for the tests of an example"),
    end("agent", version, "the far end of a tunnel into a member, for the tests of an example"),
  ],
});

const end = (part: "server" | "agent", version: string, purpose: string): Program => ({
  name: `proxy-${part}`,
  version,
  purpose,
  kind: "executable",
  main: `proxy-${part}`,
  image: {
    reference: `registry.k8s.io/kas-network-proxy/proxy-${part}:v{version}`,
    member: `/proxy-${part}`,
  },
  module: { kind: "build", module: repository, package: `${repository}/cmd/${part}` },
});

const repository = "sigs.k8s.io/apiserver-network-proxy";
