import type { Program, ProgramSet } from "../program.ts";

/** https://github.com/cloudflare/cfssl: what Karmada's Helm chart makes certificates with. */
export const cfssl = (version: string): ProgramSet => ({
  name: `cfssl-${version}`,
  testsOnly: true,
  build: {},
  programs: [
    part("cfssl", version, "signs certificates for Karmada's Helm chart, for the tests of adoption"),
    part("cfssljson", version, "puts what cfssl answers into files, for the tests of adoption"),
  ],
});

const part = (name: string, version: string, purpose: string): Program => ({
  name,
  version,
  purpose,
  kind: "executable",
  main: name,
  image: { reference: "docker.io/cfssl/cfssl:v{version}", member: `/usr/bin/${name}` },
  module: { kind: "build", module: repository, package: `${repository}/cmd/${name}` },
});

const repository = "github.com/cloudflare/cfssl";
