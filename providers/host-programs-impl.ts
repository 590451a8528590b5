import { existsSync } from "node:fs";
import { labelOf } from "../lib/hosts/address.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { programPath } from "../lib/hosts/layout.ts";
import { dropPrograms, ensureProgram, hasProgram } from "../lib/hosts/program.ts";
import { messageOf } from "../lib/wait.ts";
import { listArtifacts, storeDirectory } from "../toolchain/index.ts";
import type { HostProgramsInputs, HostProgramsOutputs } from "./host-programs.ts";
import { isOtherHost } from "./hosts/identity.ts";
import { declaredOnMachine } from "./hosts/other-address.ts";
import { removeWhereReachable, whereReachable } from "./hosts/out-of-reach.ts";
import { HalfDone, implement } from "./implementation.ts";
import { isUnknown } from "./props.ts";
import { notingDeclared } from "./still-declared.ts";

type Digests = HostProgramsInputs["programs"];

const implemented = implement<HostProgramsInputs, HostProgramsOutputs>({
  inputs: { host: "update", programs: "update", sources: "ignore", mirror: "ignore" },
  id: ({ host }) => `${host.name}/programs`,
  diff: ({ host }, inputs) => ({ replaces: isOtherHost(host, inputs.host) ? ["host"] : [] }),
  async create(inputs) {
    const outputs = { previous: {} };
    await bring(inputs, outputs);
    return outputs;
  },
  read: ({ host, programs }) =>
    whereReachable(host, async () => {
      const found = await Promise.all(
        Object.entries(programs).map(async ([name, sha256]) => {
          const isThere = await hasProgram(hostAt(host), { name, sha256 });
          return isThere ? [] : [`${labelOf(host)}: ${programPath(sha256, name)} is not as it was sent`];
        }),
      );
      return { state: {}, drift: found.flat() };
    }),
  async update(inputs, { programs: before, previous: earlier = {} }) {
    const host = hostAt(inputs.host);
    const previous = replaced(before, inputs.programs, earlier);
    await bring(inputs, { previous });
    const kept = (name: string) => [inputs.programs[name], previous[name]].flatMap((digest) => digest ?? []);
    const names = Object.keys({ ...earlier, ...before, ...inputs.programs });
    await Promise.all(names.map((name) => dropPrograms(host, name, kept(name))));
    return { previous };
  },
  delete: ({ host, programs, previous = {} }) =>
    removeWhereReachable(host, async () => {
      const names = Object.keys({ ...programs, ...previous });
      // Some may be declared at another address of the same machine.
      const declared = await declaredOnMachine<HostProgramsInputs>(host, "its programs", hasPrograms);
      const kept = (name: string) => declared.flatMap(({ programs }) => programs[name] ?? []);
      await Promise.all(names.map((name) => dropPrograms(hostAt(host), name, kept(name))));
    }),
});

const hasPrograms = ({ programs }: Partial<HostProgramsInputs>): boolean => programs !== undefined;

/** A host may have several of these, each with other programs. */
export const provider = notingDeclared(implemented, ({ host, programs }) =>
  isUnknown([host, programs]) ? undefined : `programs on ${[host.address, ...Object.keys(programs)].join(" ")}`,
);

/**
 * Brings all of them, even if one fails: nothing is under way when it returns, and all errors are reported.
 * @throws with the outputs if some have arrived: they have to be removed later, too
 */
async function bring(inputs: HostProgramsInputs, outputs: HostProgramsOutputs): Promise<void> {
  const { programs, sources, mirror } = inputs;
  const host = hostAt(inputs.host);
  const ends = await Promise.allSettled(
    Object.entries(programs).map(async ([name, sha256]) =>
      ensureProgram(host, { name, sha256 }, await sourceOf(name, sha256, sources[name] ?? ""), { mirror }),
    ),
  );
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (failures.length === 0) return;
  const message = [...new Set(failures.map(messageOf))].join("\n");
  const options = { cause: failures[0] };
  throw failures.length < ends.length ? new HalfDone(message, outputs, options) : new Error(message, options);
}

/** Path of a program on this machine, which need not be the one that obtained it. */
async function sourceOf(name: string, sha256: string, there: string): Promise<string> {
  if (existsSync(there)) return there;
  const artifacts = await listArtifacts(storeDirectory());
  return artifacts.find((artifact) => artifact.name === name && artifact.sha256 === sha256)?.path ?? there;
}

/** One that is no longer wanted may still run: it goes with the next replacement. */
function replaced(before: Digests, now: Digests, earlier: Digests): Digests {
  const names = Object.keys({ ...earlier, ...before }).filter((name) => name in before);
  const entries = names.map((name) => [name, before[name] === now[name] ? earlier[name] : before[name]]);
  return Object.fromEntries(entries.filter(([, digest]) => digest !== undefined)) as Digests;
}
