import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type FileContents, DynamicResource, forwarding } from "./dynamic.ts";
import type { LocalProcessInputs } from "./local-process.ts";

/** What a prepared process is declared with, as the state keeps it; what is not said here is as with a LocalProcess. */
export interface LocalPreparedProcessInputs extends Omit<LocalProcessInputs, "probe" | "startSeconds"> {
  /** Files that the program reads again by itself when they change: they do not count for the revision. */
  readonly rereads: readonly string[];
  /**
   * Digest of everything the program must be restarted for. Not declared: made of the other inputs when they are checked,
   * so that a preview knows it as soon as it knows them.
   */
  readonly revision: string;
}

/** As the program declares it: with contents in the place of digests. */
export type LocalPreparedProcessArgs = AsInputs<Omit<LocalPreparedProcessInputs, "files" | "revision">> & FileContents;

const provider = forwarding("local-prepared-process-impl");

/**
 * A program with its arguments and files, written down for somebody else to start: whoever knows in which order programs
 * of a cluster may be restarted. A change is written down and restarts nothing. Deleting it removes its files, its logs
 * and its data, unless the program still runs: then whoever runs it has not let go of it, and they stay until the
 * deployment's directory is deleted.
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
