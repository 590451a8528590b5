import { pulumiJson } from "../stack/pulumi.ts";
import type { Source } from "./collect.ts";
import { type ExportedStack, outputsOf, resourcesOf, type StateResource, withSecrets } from "./state.ts";

/** What Pulumi knows of a stack: names and types of its resources, what was begun and not ended, outputs, its last updates. */
export const pulumiParts = (root: string, stack: string, state: ExportedStack): readonly Source[] => [
  { path: "resources.json", read: async (into) => into.put("resources.json", inventory(state)) },
  {
    path: "outputs.json",
    read: async (into) =>
      into.put(
        "outputs.json",
        withSecrets(outputsOf(state), () => "[secret]"),
      ),
  },
  {
    path: "updates.json",
    read: async (into) => into.put("updates.json", await latestUpdates(root, stack)),
  },
];

/** Neither inputs nor outputs: both have secrets, also such as nobody has marked. */
function inventory(state: ExportedStack): object {
  return {
    resources: resourcesOf(state).map((resource) => ({
      ...named(resource),
      ...(resource.delete === true && { toBeDeleted: true }),
      ...(resource.protect === true && { protected: true }),
      created: resource.created,
      modified: resource.modified,
    })),
    pendingOperations: (state.deployment?.pending_operations ?? []).map(({ type, resource }) => ({
      operation: type,
      ...named(resource),
    })),
  };
}

const named = ({ urn, type }: StateResource) => ({ type, name: urn.split("::").at(-1) });

/** Of each what it did and how it ended, not the configuration that it had. */
async function latestUpdates(root: string, stack: string): Promise<object[]> {
  interface Update {
    readonly kind?: string;
    readonly startTime?: string;
    readonly endTime?: string;
    readonly result?: string;
    readonly resourceChanges?: Readonly<Record<string, number>>;
  }
  const updates = await pulumiJson<Update[]>(root, ["stack", "history", "--stack", stack, "--page-size", "20"]);
  return updates.map(({ kind, startTime, endTime, result, resourceChanges }) => ({
    kind,
    startTime,
    endTime,
    result,
    resourceChanges,
  }));
}
