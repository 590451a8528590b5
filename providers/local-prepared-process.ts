import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type FileContents, DynamicResource, forwarding } from "./dynamic.ts";
import type { LocalProcessInputs } from "./local-process.ts";

/** Inputs of a prepared process, as the state keeps them; those not listed here are as for a LocalProcess. */
export interface LocalPreparedProcessInputs extends Omit<
  LocalProcessInputs,
  "probe" | "startSeconds" | "dataVersion" | "follows"
> {
  /** Files that the program rereads by itself when they change: they do not affect the revision. */
  readonly rereads: readonly string[];
  /**
   * Digest of everything that requires a restart. Not declared: computed from the other inputs when they are checked,
   * so that a preview knows it as soon as it knows them.
   */
  readonly revision: string;
}

/** Its arguments in a program: with contents instead of digests. */
export type LocalPreparedProcessArgs = AsInputs<Omit<LocalPreparedProcessInputs, "files" | "revision">> & FileContents;

const provider = forwarding("local-prepared-process-impl");

/**
 * A program with its arguments and files, prepared for a reconciler to start, which knows in which order programs of a
 * cluster may be restarted. A change is written and restarts nothing. Deleting it removes its files, its logs and its
 * data, unless the program still runs: then the reconciler has not released it, and they stay until the deployment's
 * directory is deleted.
 */
export class LocalPreparedProcess extends DynamicResource<LocalPreparedProcessInputs> {
  declare readonly revision: pulumi.Output<string>;
  declare readonly log: pulumi.Output<string>;

  constructor(name: string, args: LocalPreparedProcessArgs, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "local",
      type: "LocalPreparedProcess",
      outputs: ["revision", "log"],
      deleteBeforeReplace: true,
    };
    super(provider, type, name, args as never, opts);
  }
}
