import type { HostAddress } from "../lib/hosts/address.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { dropUnlessUsed } from "../lib/hosts/program.ts";
import { removeWhereReachable } from "./hosts/out-of-reach.ts";
import { implement } from "./implementation.ts";

/** One program on one host. */
interface HostProgram {
  readonly host: HostAddress;
  readonly name: string;
}

/**
 * Stacks last brought up before HostPrograms existed have one for each program of a host. The next `up` makes
 * HostPrograms and then deletes these. If any process uses a program, all of its contents stay, since an interrupted
 * `up` may have sent one that is not used yet.
 */
export const provider = implement<HostProgram, object>({
  inputs: { host: "update", name: "replace" },
  id: ({ host, name }) => `${host.name}/${name}`,
  create: notAnyMore,
  update: notAnyMore,
  delete: ({ host, name }) => removeWhereReachable(host, () => dropUnlessUsed(hostAt(host), name)),
});

function notAnyMore({ host, name }: HostProgram): Promise<never> {
  throw new Error(`${name} on ${host.name}: programs have no resource of their own any more: run the same again`);
}
