import { readFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { packageVersion } from "../../toolchain/plugins/server/version.ts";
import { pulumiEnvironment } from "../../toolchain/pulumi/index.ts";
import type { Source } from "./collect.ts";

/** What this machine looks after the stack with: this program, Node.js, pulumi with its plugins, the operating system. */
export const versions = (root: string): Source => ({
  path: "versions.json",
  read: async (into) =>
    into.put("versions.json", {
      program: JSON.parse(await readFile(join(root, "package.json"), "utf8")).version as string,
      commit: await said("git", ["-C", root, "describe", "--always", "--dirty", "--abbrev=40"]),
      node: process.version,
      pulumi: await pulumiOf(root),
      sdk: packageVersion("@pulumi/pulumi"),
      system: {
        name: /^PRETTY_NAME="?(.*?)"?$/m.exec(await readFile("/etc/os-release", "utf8").catch(() => ""))?.[1],
        kernel: `${os.type()} ${os.release()} ${os.arch()}`,
        cores: os.availableParallelism(),
        memory: `${Math.round(os.totalmem() / 2 ** 20)}Mi, ${Math.round(os.freemem() / 2 ** 20)}Mi free`,
        load: os.loadavg(),
      },
    }),
});

/** That there is none that can be run is told as well. */
async function pulumiOf(root: string): Promise<object> {
  try {
    const { summary, official, path, env } = await pulumiEnvironment({ cwd: root });
    return { summary, official, version: await said(path, ["version"], env) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** What a program prints; undefined when it is not there or fails. */
async function said(program: string, args: readonly string[], env = process.env): Promise<string | undefined> {
  const { exitCode, stdout } = await execa(program, args, { env, reject: false, timeout: 20_000 });
  return exitCode === 0 ? stdout.trim() : undefined;
}
