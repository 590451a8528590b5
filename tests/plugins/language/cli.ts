import { constants } from "node:fs";
import { chmod, copyFile, link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { install } from "../../../toolchain/index.ts";
import { installedVersion, root } from "../support/plugin.ts";

/** The pulumi command line with the language host under test beside it, and programs to run with it. */
export interface Cli {
  /** Writes a program; `files` by name, index.ts among them. */
  program(name: string, files: Readonly<Record<string, string>>, options?: ProgramOptions): Promise<Program>;
  remove(): Promise<void>;
}

export interface ProgramOptions {
  /** Whether the SDK is installed. @default true */
  readonly packages?: boolean;
  /** `runtime.options` beyond `typescript: false`. @default none */
  readonly runtime?: Readonly<Record<string, unknown>>;
}

export interface Program {
  readonly directory: string;
  preview(): Promise<Preview>;
  /** The command line in the program's directory; a failure is a result. */
  pulumi(args: readonly string[]): ReturnType<typeof runPulumi>;
}

export interface Preview {
  readonly exitCode: number | undefined;
  /** Without colours, stacks and paths of the SDK. */
  readonly diagnostics: { readonly severity: string; readonly message: string }[];
}

/** PLUGIN_UNDER_TEST names another language host, for instance the official one. */
export async function createCli(): Promise<Cli> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "language-host-")));
  const bin = join(directory, "bin");
  await mkdir(bin);
  await mkdir(join(directory, "backend"));
  const [pulumi] = await install([{ name: "pulumi", version: installedVersion("@pulumi/pulumi") }]);
  const path = join(bin, "pulumi");
  await link(pulumi!.path, path).catch(() => copyFile(pulumi!.path, path, constants.COPYFILE_FICLONE));
  const host = join(bin, "pulumi-language-nodejs");
  await writeFile(host, `#!/bin/sh\nexec ${process.env["PLUGIN_UNDER_TEST"] ?? ourHost} "$@"\n`);
  await chmod(host, 0o755);
  const env = {
    PATH: `${join(root, "node_modules", ".bin")}:${process.env["PATH"]}`,
    PULUMI_HOME: join(directory, "home"),
    PULUMI_BACKEND_URL: `file://${join(directory, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "only for this test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
  return {
    async program(name, files, { packages = true, runtime = {} } = {}) {
      const program = join(directory, name);
      await mkdir(program);
      if (packages) await symlink(join(root, "node_modules"), join(program, "node_modules"));
      const project = {
        name,
        runtime: { name: "nodejs", options: { typescript: false, ...runtime } },
        main: "index.ts",
      };
      const all = {
        "Pulumi.yaml": JSON.stringify(project),
        "package.json": JSON.stringify({ name, type: "module" }),
        ...files,
      };
      for (const [file, text] of Object.entries(all)) await writeFile(join(program, file), text);
      const run = (args: readonly string[]) => runPulumi(path, args, program, env);
      await run(["stack", "init", "test"]);
      return { directory: program, pulumi: run, preview: async () => previewOf(await run(["preview", "--json"])) };
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function runPulumi(path: string, args: readonly string[], cwd: string, env: Record<string, string>) {
  return execa(path, [...args, "--non-interactive"], { cwd, env, reject: false, timeout: 60_000 });
}

const ourHost = [
  join(root, "node_modules", ".bin", "node"),
  join(root, "toolchain", "plugins", "language-nodejs", "main.ts"),
]
  .map((each) => `'${each}'`)
  .join(" ");

function previewOf({ exitCode, stdout, stderr }: { exitCode?: number; stdout: unknown; stderr: unknown }): Preview {
  try {
    const { diagnostics = [] } = JSON.parse(String(stdout)) as {
      diagnostics?: { message: string; severity: string }[];
    };
    return {
      exitCode,
      diagnostics: diagnostics.map(({ severity, message }) => ({ severity, message: plain(message) })),
    };
  } catch (error) {
    throw new Error(`pulumi preview --json: exit code ${exitCode}\n${String(stdout)}\n${String(stderr)}`, {
      cause: error,
    });
  }
}

/** The message without colours and without the lines of a stack trace, which differ from machine to machine. */
function plain(message: string): string {
  const lines = message.replaceAll(/\u001b\[\d+m/g, "").split("\n");
  return lines
    .filter((line) => !/^ +at /.test(line))
    .join("\n")
    .trim();
}
