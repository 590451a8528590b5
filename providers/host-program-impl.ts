import { labelOf } from "../lib/hosts/address.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { programPath } from "../lib/hosts/layout.ts";
import { dropPrograms, ensureProgram, hasProgram } from "../lib/hosts/program.ts";
import { removeWhereReachable, whereReachable } from "./host-out-of-reach.ts";
import { isOtherHost } from "./host-identity.ts";
import { implement } from "./implementation.ts";
import type { HostProgramInputs, HostProgramOutputs } from "./host-program.ts";

export const provider = implement<HostProgramInputs, HostProgramOutputs>({
  inputs: { host: "update", name: "replace", sha256: "update", source: "ignore" },
  id: ({ host, name }) => `${host.name}/${name}`,
  diff: ({ host }, inputs) => ({ replaces: isOtherHost(host, inputs.host) ? ["host"] : [] }),
  create: (inputs) => provide(inputs, ""),
  read: (state) =>
    whereReachable(state.host, async () => {
      if (await hasProgram(hostAt(state.host), state)) return { state: {} };
      return {
        state: {},
        drift: [`${labelOf(state.host)}: ${programPath(state.sha256, state.name)} is not as it was sent`],
      };
    }),
  update: (inputs, { sha256, previous = "" }) => provide(inputs, inputs.sha256 === sha256 ? previous : sha256),
  delete: ({ host, name }) => removeWhereReachable(host, () => dropPrograms(hostAt(host), name, [])),
});

async function provide(
  { host, name, sha256, source }: HostProgramInputs,
  previous: string,
): Promise<HostProgramOutputs> {
  await ensureProgram(hostAt(host), { name, sha256 }, source);
  await dropPrograms(hostAt(host), name, [sha256, previous]);
  return { path: programPath(sha256, name), previous };
}
