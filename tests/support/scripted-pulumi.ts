import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { requiredPlugins } from "../../toolchain/pulumi/plugins.ts";

/**
 * A double of pulumi, for commands that have to meet it at a certain moment, with plugins that count as installed.
 *
 * @param directory where it is put, with the home of its user
 * @param script what it does but for telling its version, in sh
 * @returns the environment in which commands find it
 */
export async function scriptedPulumi(directory: string, script: string): Promise<NodeJS.ProcessEnv> {
  const files = {
    "bin/pulumi": `#!/bin/sh\n[ "$1" = version ] && echo v3.259.0 && exit 0\n${script}`,
    "bin/pulumi-language-nodejs": "#!/bin/sh\n",
    ...Object.fromEntries(
      requiredPlugins().map(({ name, version }) => [
        `home/.pulumi/plugins/resource-${name}-v${version}/pulumi-resource-${name}`,
        "",
      ]),
    ),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), text, { mode: 0o755 });
  }
  return {
    HOME: join(directory, "home"),
    PATH: [join(directory, "bin"), process.env["PATH"]].join(delimiter),
    PULUMI_BACKEND_URL: `file://${directory}`,
  };
}
