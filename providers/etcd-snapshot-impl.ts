import { EtcdClient } from "../lib/etcd/client.ts";
import { observeEtcd } from "../lib/etcd/health.ts";
import { nobodyListens } from "../lib/etcd/nobody-listens.ts";
import { oneByOne } from "../lib/one-by-one.ts";
import { takeSnapshotApart } from "../lib/snapshots/apart.ts";
import type { Manifest } from "../lib/snapshots/manifest.ts";
import { mended, partsOf, problemIn } from "../lib/snapshots/mend.ts";
import { type ClusterPart, type Copy, type SnapshotPlan, withTargets } from "../lib/snapshots/take.ts";
import type { TargetSettings } from "../lib/snapshots/target-settings.ts";
import { targetName } from "../lib/snapshots/target-uri.ts";
import type { SnapshotTarget } from "../lib/snapshots/target.ts";
import { valueDigest } from "../lib/value-digest.ts";
import { messageOf } from "../lib/wait.ts";
import { install } from "../toolchain/index.ts";
import type { EtcdSnapshotInputs, EtcdSnapshotOutputs } from "./etcd-snapshot.ts";
import { checkEtcd } from "./etcd/check.ts";
import { HalfDone, implement, type State } from "./implementation.ts";

type SnapshotState = State<EtcdSnapshotInputs, EtcdSnapshotOutputs>;

export const provider = implement<EtcdSnapshotInputs, EtcdSnapshotOutputs>({
  inputs: {
    deployment: "replace",
    endpoints: "ignore",
    parts: "ignore",
    ca: "ignore",
    certificate: "ignore",
    key: "ignore",
    keyPrefix: "ignore",
    karmadaVersion: "ignore",
    etcdVersion: "ignore",
    targets: "update",
    secretKeys: "update",
    encryption: "ignore",
    verify: "update",
    scratch: "ignore",
    apartFrom: "ignore",
    reason: "replace",
    triggers: "update",
    restoring: "update",
    required: "ignore",
    onDelete: "update",
  },
  id: (inputs) => `${inputs.deployment}@${valueDigest([inputs.reason, inputs.triggers, mainName(inputs)])}`,
  check: (inputs) => [
    ...checkEtcd(inputs),
    ...(inputs.targets?.length === 0 ? [{ property: "targets", reason: "got none, want at least one" }] : []),
  ],
  diff: (state, inputs) => {
    if (state.reason === "before-change")
      return { changes: whereIs(inputs) !== whereIs(state) || missing(state.copies).length > 0 };
    const { triggers, targets } = inputs;
    const moved = targets !== undefined && mainName({ ...state, targets }) !== mainName(state);
    return {
      replaces: [
        ...(triggers !== undefined && valueDigest(triggers) !== valueDigest(state.triggers) ? ["triggers"] : []),
        ...(moved ? ["targets"] : []),
      ],
    };
  },
  async create(inputs) {
    if (inputs.restoring !== undefined) return { state: "none-restore", copies: [] };
    if (inputs.reason === "on-demand") return take(inputs);
    // No cluster may be there yet.
    if (await nobodyListens(inputs.endpoints)) return { state: "none-bootstrap", copies: [] };
    const parts: ClusterPart[] = [];
    for (const part of inputs.parts ?? []) if (!(await nobodyListens(part.endpoints))) parts.push(part);
    return take({ ...inputs, parts });
  },
  async read(state) {
    // Retention may have removed one taken before a change long ago.
    if (state.manifest === undefined || state.reason === "before-change") return { state: {} };
    try {
      return { state: {}, drift: await problems(state, state.manifest) };
    } catch (error) {
      // A target that does not answer is not a lost snapshot.
      console.warn(`${state.deployment}: ${state.manifest.id} could not be looked at: ${messageOf(error)}`);
      return { state: {} };
    }
  },
  async update(inputs, state) {
    if (inputs.reason === "on-demand" && state.manifest !== undefined) return repaired(inputs, state.manifest);
    const restores = inputs.restoring !== undefined && inputs.restoring !== state.restoring;
    if (valueDigest(inputs.triggers) !== valueDigest(state.triggers) && !restores)
      return take(whereTheyAre(inputs, state));
    const { state: last = "none-bootstrap", uri, manifest, copies = [] } = state;
    if (manifest !== undefined && missing(copies).length > 0 && !restores)
      return repaired(whereTheyAre(inputs, state), manifest);
    return { state: last, copies, ...(uri !== undefined && { uri }), ...(manifest !== undefined && { manifest }) };
  },
  delete: (state) => inTurn(() => discard(state)),
});

/** Pulumi deletes several at once, and each looks whether it is the last one. */
const inTurn = oneByOne();

/** Removes it from every target, except where it is the last one. */
async function discard(state: SnapshotState): Promise<void> {
  const { manifest, onDelete } = state;
  if (manifest === undefined || onDelete === "keep") return;
  const plan = planOf(state);
  const gone = await withTargets(plan, async (main, others) => {
    const each: boolean[] = [];
    for (const target of [main, ...others]) each.push(await removed(target, manifest));
    return each;
  });
  for (const { id, deployment } of partsOf(manifest)) {
    await withTargets({ ...plan, deployment }, async (main, others) => {
      for (const [i, target] of [main, ...others].entries()) if (gone[i] === true) await target.remove(id);
    });
  }
}

async function take(inputs: EtcdSnapshotInputs): Promise<EtcdSnapshotOutputs> {
  try {
    return complete(inputs, { state: "taken", ...(await takeSnapshotApart(planOf(inputs), inputs.reason)) });
  } catch (error) {
    if (error instanceof HalfDone) throw error;
    const lost = inputs.restoring !== undefined && (await isLost(inputs));
    if (inputs.required !== false && !lost) throw inputs.reason === "before-change" ? withWayOut(error) : error;
    console.warn(`${inputs.deployment}: no snapshot before the change: ${messageOf(error)}`);
    return { state: lost ? "none-restore" : "failed", copies: [] };
  }
}

/** Such as for a change that takes away a cluster which never came up. */
const withWayOut = (error: unknown): Error =>
  new Error(
    `no snapshot before the change: ${messageOf(error)}\nwith snapshots.beforeChange "best-effort" the change is made without one`,
    { cause: error },
  );

/** A cluster without a majority is what the declared restore is to replace: a restore that failed is still pending. */
async function isLost(inputs: EtcdSnapshotInputs): Promise<boolean> {
  const client = new EtcdClient(inputs);
  try {
    const clusters = [inputs, ...(inputs.parts ?? [])];
    const seen = await Promise.all(clusters.map(({ endpoints }) => observeEtcd(client, endpoints)));
    return seen.some(({ conditions }) => !conditions.quorum);
  } finally {
    client.close();
  }
}

const whereIs = ({ endpoints, parts = [] }: Partial<EtcdSnapshotInputs>) => JSON.stringify([endpoints, parts]);

/**
 * Members may be about to move but still listen at their old addresses; clusters may be about to be added or removed.
 */
function whereTheyAre(inputs: EtcdSnapshotInputs, { endpoints, parts = [] }: SnapshotState): EtcdSnapshotInputs {
  const both = (now: readonly string[] = [], before: readonly string[]) => [...new Set([...now, ...before])];
  const now = (name: string) => inputs.parts?.find((part) => part.name === name)?.endpoints;
  return {
    ...inputs,
    endpoints: both(inputs.endpoints, endpoints),
    parts: parts.map((part) => ({ ...part, endpoints: both(now(part.name), part.endpoints) })),
  };
}

/** Makes every target hold the snapshot with its parts; takes another one if any of them is complete nowhere. */
async function repaired(inputs: EtcdSnapshotInputs, manifest: Manifest): Promise<EtcdSnapshotOutputs> {
  const plan = planOf(inputs);
  const copies: Copy[] = [];
  for (const part of partsOf(manifest)) {
    const made = await mended({ ...plan, deployment: part.deployment }, part);
    if (made === undefined) return take(inputs);
    copies.push(...made.copies);
  }
  const whole = await mended(plan, manifest);
  if (whole === undefined) return take(inputs);
  return complete(inputs, { state: "taken", ...whole, copies: [...whole.copies, ...copies] });
}

/**
 * A missing copy does not invalidate the snapshot, and is made by the next run.
 *
 * @throws HalfDone where every copy is required
 */
function complete({ required }: EtcdSnapshotInputs, outputs: EtcdSnapshotOutputs): EtcdSnapshotOutputs {
  const problems = missing(outputs.copies).map(({ problem }) => problem);
  if (problems.length === 0) return outputs;
  const message = `${outputs.uri}: the snapshot is there, copies are missing: ${problems.join("; ")}`;
  if (required !== false) throw new HalfDone(message, outputs);
  console.warn(message);
  return outputs;
}

const missing = (copies: readonly Copy[] = []) => copies.filter(({ problem }) => problem !== undefined);

/** A sentence for each target that does not hold it, or a part of it, as it was stored. Every byte is read. */
async function problems(state: SnapshotState, manifest: Manifest): Promise<string[]> {
  const plan = planOf(state);
  const found: string[] = [];
  for (const wanted of [{ ...manifest, deployment: state.deployment }, ...partsOf(manifest)]) {
    await withTargets({ ...plan, deployment: wanted.deployment }, async (main, others) => {
      const said = await Promise.all([main, ...others].map((target) => problemIn(target, wanted)));
      found.push(...said.filter((problem) => problem !== undefined));
    });
  }
  return found;
}

/** Removes it unless it is the last verified one there. Its parts stay or go with it. @returns whether it did */
async function removed(target: SnapshotTarget, manifest: Pick<Manifest, "id" | "file">): Promise<boolean> {
  const { snapshots } = await target.list();
  const others = snapshots.filter(({ id }) => id !== manifest.id);
  if (others.length === 0) {
    console.warn(`${target.uri}/${manifest.file}: kept, it is the last verified snapshot there`);
    return false;
  }
  await target.remove(manifest.id);
  return true;
}

function planOf(inputs: EtcdSnapshotInputs): SnapshotPlan {
  const { endpoints, ca, certificate, key, etcdVersion } = inputs;
  return {
    ...inputs,
    source: { endpoints, connection: { ca, certificate, key } },
    targets: inputs.targets.map((target, i) => withSecret(target, inputs.secretKeys[i])),
    tools: async () => {
      const [etcdutl, etcd] = await install(["etcdutl", "etcd"].map((name) => ({ name, version: etcdVersion })));
      return { etcdutl: etcdutl!.path, etcd: etcd!.path };
    },
  };
}

function withSecret(target: TargetSettings, secretAccessKey: string | undefined): TargetSettings {
  if (target.kind !== "s3" || target.credentials.kind !== "keys" || secretAccessKey === undefined) return target;
  return { ...target, credentials: { ...target.credentials, secretAccessKey } };
}

const mainName = ({ targets, deployment }: Pick<EtcdSnapshotInputs, "targets" | "deployment">) =>
  targets[0] === undefined ? "" : targetName(targets[0], deployment);
