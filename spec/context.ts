import type { RenderedChart } from "./addons/charts.ts";
import type { PlaneOffered } from "./members/joining.ts";
import type { Served } from "./members/teams.ts";
import type { Program } from "./program.ts";

/** What a stack's configuration does not contain itself. */
export interface Context {
  /** Name of the stack. */
  readonly stack: string;
  /** Name of the stack's deployment in its last `up`. @default there was none */
  readonly deployedAs?: string;
  /** The program that it was of then. @default there was none */
  readonly programBefore?: Program;
  /** Directory of the stack file: relative paths start there. */
  readonly directory: string;
  /** Where programs keep state of this user. @default `.karmada` in `directory` */
  readonly stateHome?: string;
  /** What `~` stands for in a path. @default `~` is not expanded */
  readonly home?: string;
  /** The files the configuration names, by path or URL as typed: their text, or why they could not be read. @default none */
  readonly files?: Readonly<Record<string, { readonly text: string } | { readonly error: string }>>;
  /**
   * The outputs of stacks that have kubeconfigs or an etcd for this one, objects as JSON, by the stack's name as typed, or why they
   * could not be read. @default none
   */
  readonly stacks?: Readonly<
    Record<string, { readonly outputs: Readonly<Record<string, string>> } | { readonly error: string }>
  >;
  /** Directories of kubeconfigs and manifests, by path as typed: the names of their files, or why they could not be read. @default none */
  readonly directories?: Readonly<Record<string, { readonly files: readonly string[] } | { readonly error: string }>>;
  /** What charts rendered as, by the name of their addon. @default none */
  readonly charts?: Readonly<Record<string, RenderedChart>>;
  /** The `policyTemplates` of other stacks, by the stack's name as typed. @default none */
  readonly templates?: Readonly<Record<string, unknown>>;
  /** Outputs of the stacks that `teams` names, in that order. @default none */
  readonly served?: readonly Served[];
  /** The control plane that a stack of members joins. @default unknown */
  readonly plane?: PlaneOffered;
  /** The time at which certificates are judged. @default now */
  readonly now?: Date;
}
