import type { EtcdKeys } from "../../lib/etcd/keys.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import type { ExternalEtcdInputs } from "../external-etcd.ts";
import { byNewDeployment } from "../other-placement.ts";
import { nestedWith, noteBelow } from "./nested.ts";

/** The owner, followed by its display name. */
const noteOf = ({ owner, deployment }: Pick<ExternalEtcdInputs, "owner" | "deployment">) => `${owner} ${deployment}`;

/**
 * Notes the owner below the prefix. The note is the first key of ours: keys without it are somebody else's.
 *
 * @param former the owner under which this deployment was noted before its key changed
 * @throws when the prefix holds somebody else's data, unless they are to be taken over and are not in use; when it has
 *   no note yet, and lies within or around the prefix of another
 */
export async function takePrefix(keys: EtcdKeys, inputs: ExternalEtcdInputs, former?: string): Promise<void> {
  const { prefix, adopt = false } = inputs;
  const key = noteBelow(prefix);
  const noted = await keys.get(key);
  if (noted === noteOf(inputs)) return;
  const nested = await whyNested(keys, inputs, noted);
  if (nested !== undefined) throw new Error(nested);
  const found = await heldBySomebodyElse(keys, inputs, noted, former);
  if (found !== undefined) {
    if (!adopt) throw new Error(`${prefix} ${found}\n${remedies}`);
    await proveUnused(keys, prefix, found);
  }
  const written = await (noted === undefined
    ? keys.putIfAbsent(key, noteOf(inputs))
    : keys.putIfHolds(key, noted, noteOf(inputs)));
  if (!written) throw new Error(`${prefix} was just taken and ${await stateOf(keys, prefix)}\n${remedies}`);
}

/** Why a Karmada that has nothing there yet cannot have the prefix; undefined when it can, or what is there is to be taken over. */
export async function whyTaken(
  keys: EtcdKeys,
  { prefix, owner, adopt = false }: Possible,
): Promise<string | undefined> {
  const noted = await keys.get(noteBelow(prefix));
  const nested = await whyNested(keys, { prefix, owner }, noted);
  if (nested !== undefined || adopt) return nested;
  const found = await heldBySomebodyElse(keys, { prefix, owner }, noted);
  return found && `${prefix} ${found}\n${remedies}`;
}

/** Before the first `up` there is no owner yet. */
interface Possible extends Pick<ExternalEtcdInputs, "prefix" | "adopt"> {
  readonly owner?: string | undefined;
}

/** Earlier releases let one lie within another: a prefix that is noted goes on, and can be taken over. */
async function whyNested(
  keys: EtcdKeys,
  { prefix, owner }: Possible,
  noted: string | undefined,
): Promise<string | undefined> {
  if (noted !== undefined) return undefined;
  const nested = await nestedWith(keys, prefix);
  if (nested === undefined || readNote(nested.noted).owner === owner) return undefined;
  return (
    `${prefix} lies ${nested.outer ? "within" : "around"} ${nested.other}, which holds ${describe(nested.noted)}\n` +
    "choose another etcd.prefix: to delete the keys below the outer one would delete those of both"
  );
}

async function heldBySomebodyElse(
  keys: EtcdKeys,
  { prefix, owner }: Possible,
  noted: string | undefined,
  former?: string,
): Promise<string | undefined> {
  if (noted === undefined) {
    const [foreign] = await keys.list(`${prefix}/`, 1);
    return foreign && `is not empty, it holds for instance ${foreign}`;
  }
  const holder = readNote(noted).owner;
  return holder === owner || holder === former ? undefined : `holds ${describe(noted)}`;
}

/**
 * Why a Karmada that has its data elsewhere so far cannot go on with what is there; undefined when it is the same data,
 * such as in a cluster that was restored, or somebody else's that are to be taken over.
 *
 * @param former the owner under which it was noted last
 */
export async function withoutItsData(
  keys: EtcdKeys,
  { prefix, owner, adopt = false }: Possible,
  former: string | undefined,
): Promise<string | undefined> {
  const noted = await keys.get(noteBelow(prefix));
  if (noted !== undefined && [owner, former].includes(readNote(noted).owner)) return undefined;
  const [foreign] = await keys.list(`${prefix}/`, 1);
  if (foreign !== undefined && adopt) return undefined;
  const found =
    noted !== undefined ? `holds ${describe(noted)}` : foreign === undefined ? "is empty" : "is not its own";
  return (
    `that etcd has no data of this Karmada, which would begin without them: ${prefix} ${found}\n` +
    `set etcd to the one that has them again, or have a snapshot with them restored there; ${byNewDeployment}`
  );
}

/** Removes the note once there is nothing else; until then it tells whose the data are. */
export async function leavePrefix(keys: EtcdKeys, prefix: string, owner: string): Promise<void> {
  const key = noteBelow(prefix);
  const noted = await keys.get(key);
  if (noted === undefined || readNote(noted).owner !== owner) return;
  const others = (await keys.list(`${prefix}/`, 2)).filter((other) => other !== key);
  if (others.length === 0) await keys.delete(key);
}

/** What is wrong with the note; nothing when it names `owner`. */
export async function ownerDrift(keys: EtcdKeys, prefix: string, owner: string): Promise<string[]> {
  const noted = await keys.get(noteBelow(prefix));
  if (noted === undefined) return [`${prefix}: nobody is noted as its owner`];
  return readNote(noted).owner === owner ? [] : [`${prefix}: holds ${describe(noted)}`];
}

/** Earlier releases noted only the owner. */
function readNote(note: string): { owner: string; deployment?: string } {
  const [owner = "", deployment] = note.split(" ");
  return { owner, ...(deployment !== undefined && { deployment }) };
}

function describe(note: string): string {
  const { owner, deployment } = readNote(note);
  const name = deployment === undefined ? "whose name was not noted" : `"${deployment}"`;
  return `the data of another Karmada, the deployment ${name} with the service-account key ${owner}`;
}

async function stateOf(keys: EtcdKeys, prefix: string): Promise<string> {
  const noted = await keys.get(noteBelow(prefix));
  return noted === undefined ? "left again" : `holds ${describe(noted)}`;
}

const remedies =
  "choose another etcd.prefix, or, when those data are of a Karmada that is no more (destroyed, or its machines lost) " +
  "and this one is to go on with them, set etcd.adopt: true";

/**
 * Every API server renews a lease of its own each 10 s (kubernetes, pkg/controlplane/apiserver/server.go,
 * IdentityLeaseRenewIntervalPeriod), controllers theirs each 2 s.
 */
const renewalSeconds = 12;

/** @throws as soon as something renews a lease below the prefix */
async function proveUnused(keys: EtcdKeys, prefix: string, found: string): Promise<void> {
  const before = await keys.lastWrite(`${prefix}/leases/`);
  if (before === "0") return;
  const end = performance.now() + renewalSeconds * 1000;
  await waitFor(
    "leases to be looked at",
    deadlineIn(2 * renewalSeconds),
    async () => {
      if ((await keys.lastWrite(`${prefix}/leases/`)) !== before) throw new InUse(prefix, found);
      return performance.now() < end ? new Pending(`looked for less than ${renewalSeconds}s`) : undefined;
    },
    { fatal: (error) => error instanceof InUse },
  );
}

class InUse extends Error {
  constructor(prefix: string, found: string) {
    super(
      `${prefix} ${found}, and its API server still runs: it renews its lease there\n` +
        `destroy that Karmada first, or end its API servers; its data stay (etcd.adopt), or choose another etcd.prefix`,
    );
  }
}
