import { labelOf, type HostAddress } from "../../lib/hosts/address.ts";
import { machineAt } from "../../lib/hosts/machine.ts";
import { Unreachable } from "../../lib/hosts/transport.ts";
import { declaredNow } from "../still-declared.ts";

/** A thing on a host. */
interface OnHost {
  readonly host: HostAddress;
}

/**
 * Whether a process is declared in this run at another address of the machine that an old address leads to: then only
 * the address has changed, and the process stays, which is reported.
 */
export async function staysByOtherAddress({ host, name }: OnHost & { readonly name: string }): Promise<boolean> {
  const isIt = (props: Partial<OnHost & { name: string }>) => props.name === name;
  const [by] = await declaredOnMachine(host, `${name} from it`, isIt);
  if (by === undefined) return false;
  console.log(
    `${labelOf(host)}: ${name}: is declared there by ${labelOf(by.host)}, the same machine, so it stays as it is`,
  );
  return true;
}

/**
 * What is declared in this run at other addresses of the machine that an address leads to.
 *
 * @param what would be removed
 * @throws Unreachable when the address cannot be reached
 */
export async function declaredOnMachine<T extends OnHost>(
  host: HostAddress,
  what: string,
  isIt: (props: Partial<T>) => boolean,
): Promise<T[]> {
  const elsewhere = declaredNow<T>().filter((props) => isIt(props) && props.host.address !== host.address);
  if (elsewhere.length === 0) return [];
  // Not cached: a machine that reboots in between would count as another one.
  const machine = await machineAt(host);
  const found = await Promise.all(
    elsewhere.map(async (props) => ((await otherMachine(props.host, host, what)) === machine ? [props] : [])),
  );
  return machine === undefined ? [] : found.flat();
}

/** For a host of the same name, unknown cannot be told from a change of its address. */
async function otherMachine(other: HostAddress, host: HostAddress, what: string): Promise<string | undefined> {
  try {
    return await machineAt(other);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    if (other.name !== host.name) return undefined;
    throw new Error(
      `${labelOf(host)}: removing ${what}: whether it is the same machine as ${labelOf(other)} is not known, which cannot be reached: ${error.reason}\nsee that it answers, and run the same again`,
      { cause: error.cause },
    );
  }
}
