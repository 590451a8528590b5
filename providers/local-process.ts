import type * as pulumi from "@pulumi/pulumi";
import type { Probe } from "../lib/probe.ts";
import { type AsInputs, type FileContents, DynamicResource, forwarding } from "./dynamic.ts";

/** Inputs of a supervised process, as the state keeps them. */
export interface LocalProcessInputs {
  /** The deployment's directory: absolute, the same for all processes that one supervisor keeps. Changing it replaces the process. */
  readonly directory: string;
  /** Unique in the directory. Changing it replaces the process. */
  readonly name: string;
  /** Absolute path of the executable, and the SHA-256 digest of its content. */
  readonly program: string;
  readonly programSha256: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** SHA-256 digest of each file's content, by path below the process's directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Permissions of files that need others, as in `chmod`. @default 600 for every file */
  readonly fileModes?: Readonly<Record<string, string>>;
  /** Address the ports belong to. */
  readonly address: string;
  readonly ports: Readonly<Record<string, number>>;
  /** Tells that it is ready; files in it are absolute paths. */
  readonly probe: Probe;
  /** How long it may take to be ready after a start. */
  readonly startSeconds: number;
  /** How long it may take to stop before it is killed. */
  readonly stopSeconds: number;
  /** Version of what writes its data, which an older minor version could not read. Recorded without an update. @default any could */
  readonly dataVersion?: string;
  /**
   * Changes when others may have stopped it: the preview tells then that it is looked at, and started if it does not run.
   * @default nothing
   */
  readonly follows?: string;
}

export interface LocalProcessOutputs {
  /** Where its output goes. */
  readonly log: string;
}

/** Its arguments in a program: with contents instead of digests. */
export type LocalProcessArgs = AsInputs<Omit<LocalProcessInputs, "files">> & FileContents;

const provider = forwarding("local-process-impl");

/**
 * A program that a supervisor keeps running on this machine, also after `pulumi` has exited. It exists once its probe
 * has answered. Deleting it stops the program and removes its files, its logs and its data.
 */
export class LocalProcess extends DynamicResource<LocalProcessInputs> {
  declare readonly log: pulumi.Output<string>;

  constructor(name: string, args: LocalProcessArgs, opts?: pulumi.CustomResourceOptions) {
    const type = { module: "local", type: "LocalProcess", outputs: ["log"], deleteBeforeReplace: true };
    super(provider, type, name, args as never, opts);
  }
}
