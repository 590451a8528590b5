import type { Program, ProgramSet } from "../program.ts";

/**
 * Pulumi's official resource plugins, for bundles: with internet access pulumi fetches them itself, and they are not
 * published as Go modules. Versions are those of the npm packages of the same names.
 */
export const plugins: ProgramSet = {
  name: "pulumi-plugins",
  programs: [
    plugin("kubernetes", "4.32.0", "objects of Kubernetes APIs"),
    plugin("command", "1.2.1", "commands on hosts"),
    plugin("tls", "5.5.1", "keys and certificates"),
    plugin("random", "4.21.1", "random names and secrets"),
  ],
};

function plugin(name: string, version: string, purpose: string): Program {
  const file = `pulumi-resource-${name}`;
  return {
    name: file,
    version,
    purpose: `Pulumi's plugin for ${purpose}`,
    kind: "executable",
    main: file,
    release: {
      address: `https://get.pulumi.com/releases/plugins/${file}-v{version}-{os}-{arch}.tar.gz`,
      checksums: `https://github.com/pulumi/pulumi-${name}/releases/download/v{version}/pulumi-${name}_{version}_checksums.txt`,
      member: file,
    },
  };
}
