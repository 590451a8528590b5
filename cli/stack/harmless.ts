import { isEncrypted } from "../../toolchain/pulumi/stack-yaml.ts";
import { placementOf } from "./stack-file.ts";
import { type Typed, typedMembers } from "./typed-members.ts";

/**
 * Whether a stack can be destroyed without asking: it is nothing but processes of this machine, its members too, or of a
 * program that deletes nothing.
 */
export const isHarmlessToDestroy = (config: Typed, directory: string): boolean =>
  deletesNothing.has(config["karmada:program"]) || isSimulation(config, directory);

const isSimulation = (config: Typed, directory: string): boolean =>
  !telling.some((key) => isEncrypted(config[key] ?? {})) &&
  placementOf(config) === "local" &&
  typedMembers(config, directory).every((member) => member?.credentials?.kind === "simulated");

/** Keys that tell what is real, unless they are encrypted as a whole. */
const telling = ["karmada:placement", "karmada:members", "karmada:memberGroups"];

/** Programs whose stacks leave everything as it is when they go. */
const deletesNothing: ReadonlySet<unknown> = new Set(["adopted", "snapshots", "restore"]);
