import { reveal, Unknown } from "../server/index.ts";
import type { Log, Properties, ReadRequest, ReadResult, ResourceType } from "../server/index.ts";
import { check } from "./check.ts";
import { encodeState } from "./encode.ts";
import { importedInputs, plannedOutputs, refreshedInputs, stateOutputs } from "./outputs.ts";
import { changedAttributes, plan } from "./plan.ts";
import { Diagnostic } from "./schema.ts";
import type { BridgedResource, Plan, State } from "./schema.ts";

/**
 * A bridged resource with the life cycle Pulumi's Terraform bridge gives it. It sends no detailed diff, as the
 * official plugins of the pinned versions do not: the engine shows the changed inputs.
 * https://github.com/pulumi/pulumi-terraform-bridge/tree/v3.135.0/pkg/pf/tfbridge
 */
export function bridged(resource: BridgedResource): ResourceType {
  const id = (state: State): string => resource.id?.(state) ?? (state["id"] as string);
  const planFor = (request: { olds: Properties; news: Properties; ignoreChanges: readonly string[] }): Plan =>
    plan(resource, encodeState(resource.attributes, request.olds), encodeState(resource.attributes, wanted(request)));

  return {
    check: (request) => check(resource, request),

    async diff(request) {
      const planned = planFor(request);
      const changed = changedAttributes(planned);
      return { changes: changed.length > 0, replaces: [...planned.replaces].sort(), diffs: changed };
    },

    async create({ inputs, preview, log }) {
      const { planned } = plan(resource, undefined, encodeState(resource.attributes, inputs));
      if (preview) return { id: "", outputs: plannedOutputs(resource, planned) };
      const state = await logged(log, () => resource.create(planned, log));
      return { id: id(state), outputs: stateOutputs(resource, state) };
    },

    async update(request) {
      const { planned } = planFor(request);
      if (request.preview) return plannedOutputs(resource, planned);
      const prior = encodeState(resource.attributes, request.olds);
      // what became due between diff and update stays as it was; the next diff replaces it
      const settled = Object.entries(planned).map(([name, value]) => [
        name,
        value instanceof Unknown ? prior[name] : value,
      ]);
      return stateOutputs(resource, Object.fromEntries(settled));
    },

    async read(request) {
      return Object.keys(request.state).length > 0 ? refresh(request) : importResource(request);
    },

    async delete() {},
  };

  function refresh(request: ReadRequest): ReadResult {
    const kept = encodeState(resource.attributes, request.state);
    const state = resource.read?.(kept) ?? kept;
    const outputs = stateOutputs(resource, state);
    return { id: id(state), outputs, inputs: refreshedInputs(request.inputs, outputs) };
  }

  async function importResource(request: ReadRequest): Promise<ReadResult> {
    const state = await logged(request.log, async () => {
      if (!resource.import) throw importRefused();
      return resource.import(request.id);
    });
    const outputs = stateOutputs(resource, state);
    return { id: id(state), outputs, inputs: importedInputs(resource, outputs) };
  }
}

/** The new inputs, with those of the state where changes are to be ignored. */
function wanted(request: { olds: Properties; news: Properties; ignoreChanges: readonly string[] }): Properties {
  const kept = request.ignoreChanges.map((name) => [name, reveal(request.olds)[name]]);
  return { ...request.news, ...Object.fromEntries(kept) };
}

/** The bridge shows a diagnostic on the screen and returns it as well. */
async function logged<T>(log: Log, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Diagnostic) log("error", `[ERROR] ${error.detail}: ${error.summary}`);
    throw error;
  }
}

function importRefused(): Diagnostic {
  return new Diagnostic(
    "Resource Import Not Implemented",
    "This resource does not support import. Please contact the provider developer for additional information.",
  );
}
