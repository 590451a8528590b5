import { type ComponentName, componentNames } from "./component-names.ts";

/** How many port numbers, from `basePort` on, belong to one local deployment. */
export const portsPerDeployment = 1000;

/**
 * Where in the range things are. A number depends on a name only, never on what else there is, so that adding or
 * removing a program or member moves no other: `basePort` itself is always the Karmada API server.
 */
const layout = {
  /** Five replicas of every component, a block for each. */
  controlPlane: { first: 0, blocks: 50 },
  /** `etcd-0` and so on. */
  etcd: { first: 200, blocks: 7 },
  /** Everything that is none of the others, by a hash of its name. */
  others: { first: 228, blocks: 18 },
  /** Simulated members, each with all its programs. */
  members: { first: 300, blocks: 70 },
} as const;

/** Most ports of one program. */
const block = 4;
/** Most ports of all programs of one member. */
const memberBlock = 10;

/** Most simulated members a local deployment has numbers for. */
export const mostSimulatedMembers: number = layout.members.blocks;

/** What of a process matters here. */
interface Ported {
  readonly name: string;
  readonly ports: readonly string[];
}

/**
 * The number of every port, by `portKey`.
 *
 * @param members names of the simulated members; the programs of `m` are called `m-...`
 * @throws when a process has more ports, or there are more members, than the range has room for
 */
export function assignPorts(
  basePort: number,
  processes: readonly Ported[],
  members: readonly string[] = [],
): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const blocks = spread(members, layout.members.blocks);
  const longestFirst = members.toSorted((a, b) => b.length - a.length);
  const memberOf = ({ name }: Ported) =>
    fixedBlock(name) === undefined ? longestFirst.find((member) => name.startsWith(`${member}-`)) : undefined;
  const place = (first: number, room: number, keys: readonly string[]) => {
    if (keys.length > room) throw new Error(`${keys[0]}: ${keys.length} ports, room for ${room}`);
    keys.forEach((key, i) => numbers.set(key, basePort + first + i));
  };
  const others = spread(
    processes.filter((process) => !memberOf(process) && fixedBlock(process.name) === undefined).map(({ name }) => name),
    layout.others.blocks,
  );
  for (const process of processes.filter((process) => !memberOf(process)))
    place(fixedBlock(process.name) ?? layout.others.first + others.get(process.name)! * block, block, keysOf(process));
  for (const [member, index] of blocks)
    place(
      layout.members.first + index * memberBlock,
      memberBlock,
      processes.filter((process) => memberOf(process) === member).flatMap(keysOf),
    );
  return numbers;
}

/** The key of a port in the map of `assignPorts`. */
export const portKey = (process: string, port: string): string => `${process}/${port}`;

const keysOf = ({ name, ports }: Ported): string[] => ports.map((port) => portKey(name, port));

/** The block of a program that has one by its name. */
function fixedBlock(name: string): number | undefined {
  const etcd = /^etcd-([0-6])$/.exec(name);
  if (etcd) return layout.etcd.first + Number(etcd[1]) * block;
  const [, component, replica = "0"] = /^(.*?)(?:-([1-4]))?$/.exec(name)!;
  const index = componentNames.indexOf(
    (component === "karmada-apiserver" ? "kube-apiserver" : component) as ComponentName,
  );
  return index < 0 ? undefined : (Number(replica) * 10 + index) * block;
}

/**
 * Gives each name a slot of its own: the number it ends with, or else a hash of it; the next free one when it is taken.
 * Names are taken in alphabetical order, so the result does not depend on theirs.
 */
function spread(names: readonly string[], slots: number): ReadonlyMap<string, number> {
  if (names.length > slots) throw new Error(`${names.length} names, room for ${slots}`);
  const taken = new Map<number, string>();
  for (const name of names.toSorted()) {
    let slot = wish(name) % slots;
    while (taken.has(slot)) slot = (slot + 1) % slots;
    taken.set(slot, name);
  }
  return new Map([...taken].map(([slot, name]) => [name, slot]));
}

function wish(name: string): number {
  const number = /\d{1,6}$/.exec(name);
  if (number) return Number(number[0]);
  // FNV-1a, 32 bit: spreads short names well.
  return [...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);
}
