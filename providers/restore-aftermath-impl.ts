import { connect } from "../lib/kube/client.ts";
import { laggingBindings } from "../lib/restore/aftermath/lagging.ts";
import { describe, findOrphans, removeOrphans } from "../lib/restore/aftermath/orphans.ts";
import { deadlineIn } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { RestoreAftermathInputs, RestoreAftermathOutputs } from "./restore-aftermath.ts";

export const provider = implement<RestoreAftermathInputs, RestoreAftermathOutputs>({
  inputs: {
    kubeconfig: "ignore",
    generation: "update",
    clusters: "ignore",
    removeOrphans: "update",
    timeoutSeconds: "ignore",
  },
  id: () => "restore-aftermath",
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: lookAfter,
  update: lookAfter,
  delete: async () => {},
});

async function lookAfter(inputs: RestoreAftermathInputs): Promise<RestoreAftermathOutputs> {
  const plane = await connect(inputs.kubeconfig);
  const lagging = await laggingBindings(plane, deadlineIn(inputs.timeoutSeconds));
  const { orphans, unasked } = await findOrphans(plane, inputs.clusters, deadlineIn(patience));
  const own = orphans.filter(({ cluster }) => inputs.clusters.includes(cluster));
  const ofOthers = orphans.filter((orphan) => !own.includes(orphan));
  if (inputs.removeOrphans) await removeOrphans(plane, own);
  const left = inputs.removeOrphans ? ofOthers : orphans;
  warn("bindings that were not scheduled", lagging);
  warn("members that could not be searched for orphans", unasked);
  if (!inputs.removeOrphans) warn(`${late} (etcd.restore.removeOrphans)`, own.map(describe));
  warn(`${late}, in members of other stacks, which never are deleted here`, ofOthers.map(describe));
  return {
    orphans: left.map(describe),
    removed: inputs.removeOrphans ? own.map(describe) : [],
    laggingBindings: lagging,
    unasked,
  };
}

/** Seconds; Karmada writes rights into its members within two. */
const patience = 30;

const late = "objects of after the snapshot, unknown to Karmada";

function warn(what: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const more = names.length > shown ? [`and ${names.length - shown} more`] : [];
  console.warn([`${what}:`, ...names.slice(0, shown), ...more].join("\n  "));
}

const shown = 20;
