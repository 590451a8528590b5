/** What obtaining programs costs: when all are there, and from nothing. */
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { seconds, type Benchmark } from "./benchmark.ts";

const root = join(import.meta.dirname, "..");
const toolchain = (env: NodeJS.ProcessEnv = {}) =>
  execa(process.execPath, ["toolchain/main.ts"], { cwd: root, env, stdin: "ignore" });

export const benchmarks: Benchmark[] = [
  {
    name: "toolchain-warm",
    unit: "s",
    goal: 1,
    prepare: async () => {
      await toolchain();
      return () => Promise.resolve();
    },
    ours: () => seconds(() => toolchain()),
  },
  {
    name: "toolchain-cold",
    unit: "s",
    goal: 15 * 60,
    runs: 1,
    ours: async () => {
      const empty = await mkdtemp(join(tmpdir(), "toolchain-cold-"));
      try {
        return await seconds(() => fromNothing(empty));
      } finally {
        await rm(empty, { recursive: true, force: true });
      }
    },
  },
];

/** npm ci and every program of the default version set, with empty caches of npm, Go and the toolchain. */
async function fromNothing(empty: string): Promise<void> {
  for (const name of ["package.json", "package-lock.json"]) await copyFile(join(root, name), join(empty, name));
  await execa("npm", ["ci", "--no-audit", "--no-fund", "--cache", join(empty, "npm")], { cwd: empty, stdin: "ignore" });
  await toolchain({
    KARMADA_TOOLCHAIN_DIR: join(empty, "programs"),
    GOCACHE: join(empty, "go-build"),
    GOMODCACHE: join(empty, "go-modules"),
    GOFLAGS: `${process.env.GOFLAGS ?? ""} -modcacherw`.trim(),
  });
}
