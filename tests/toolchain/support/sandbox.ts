import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as tar from "tar";
import { hostPlatform } from "../../../toolchain/platform.ts";
import type { Program, ProgramSet } from "../../../toolchain/program.ts";

/** An empty directory for one test file, with a store in it. */
export interface Sandbox {
  readonly directory: string;
  readonly store: string;
  /** A new file below the directory. */
  file(name: string, content: string | Buffer, mode?: number): Promise<string>;
  remove(): Promise<void>;
}

export async function makeSandbox(): Promise<Sandbox> {
  const directory = await mkdtemp(join(tmpdir(), "toolchain-test-"));
  return {
    directory,
    store: join(directory, "store"),
    file: async (name, content, mode = 0o644) => {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      await chmod(path, mode);
      return path;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** A program that says which version it is, padded to a size. */
export const script = (says: string, size = 0): Buffer =>
  Buffer.from(`#!/bin/sh\necho "${says}"\nexit 0\n${"#".repeat(size)}\n`);

/** One whose `bin` has etcd's two tools. */
export async function makeSandboxWithTools(): Promise<Sandbox> {
  const sandbox = await makeSandbox();
  for (const name of ["etcdctl", "etcdutl"]) await sandbox.file(`bin/${name}`, script(`${name} version: 3.6.6`), 0o755);
  return sandbox;
}

/** A tar.gz of these files. */
export async function archiveOf(
  sandbox: Sandbox,
  files: Readonly<Record<string, string | Buffer>>,
  options: { gzip?: boolean } = { gzip: true },
): Promise<Buffer> {
  const folder = await mkdtemp(join(sandbox.directory, "archive-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: 0o755 });
  }
  const file = join(sandbox.directory, `${folder.slice(-6)}.tar`);
  await tar.c({ file, cwd: folder, gzip: options.gzip ?? false, portable: true }, Object.keys(files));
  return readFile(file);
}

export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** A set of one executable `demo` 1.2.3 that prints its version. */
export const demoSet = (more: Partial<Program> = {}): ProgramSet => ({
  name: "demo-1.2.3",
  build: {},
  programs: [demo(more)],
});

export const demo = (more: Partial<Program> = {}): Program => ({
  name: "demo",
  version: "1.2.3",
  purpose: "stands for a program in tests",
  kind: "executable",
  main: "demo",
  versionArgs: ["version"],
  ...more,
});

/** What is left in a store's working places: nothing, after any run that ended by itself. */
export async function leftovers(store: string): Promise<string[]> {
  const names = await Promise.all(
    ["tmp", "downloads", "locks"].map((name) => readdir(join(store, name)).catch(() => [] as string[])),
  );
  return names.flat();
}

export const here = hostPlatform();
