import { install, locate } from "../toolchain/index.ts";
import { implement } from "./implementation.ts";
import type { ProgramInputs, ProgramOutputs } from "./program.ts";

/** Building a Kubernetes program from its module takes three minutes on two cores; several may be under way at once. */
const installMinutes = 30;

export const provider = implement<ProgramInputs, ProgramOutputs>({
  inputs: { name: "replace", version: "update" },
  id: ({ name }) => name,
  async check({ name, version }) {
    if (name === undefined || version === undefined) return [];
    try {
      await locate({ name, version });
      return [];
    } catch (error) {
      return [{ property: "version", reason: (error as Error).message }];
    }
  },
  async diff({ name, version, path }) {
    const found = await locate({ name, version }).catch(() => undefined);
    return { changes: found?.path !== path };
  },
  create: obtain,
  async read({ name, version, path }) {
    const found = await locate({ name, version }).catch(() => undefined);
    return { state: {}, drift: found?.path === path ? [] : [`${path} is not in the toolchain's store any more`] };
  },
  update: obtain,
  delete: async () => {},
});

async function obtain({ name, version }: ProgramInputs): Promise<ProgramOutputs> {
  const signal = AbortSignal.timeout(installMinutes * 60_000);
  const [artifact] = await install([{ name, version }], { signal });
  return { path: artifact!.path, sha256: artifact!.sha256 };
}
