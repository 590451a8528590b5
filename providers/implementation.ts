import type * as pulumi from "@pulumi/pulumi";
import { withCredentialsOfState } from "./credentials-of-state.ts";
import "./outlived-engine.ts";
import { clean, isUnknown, known, omit, pick, type Props, same, withoutUnknown } from "./props.ts";

/**
 * What a change of an input means: a replacement, an update, or nothing to do. `follow` is an update, too, but no longer
 * having anything to follow is none.
 */
export type OnChange = "replace" | "update" | "follow" | "ignore";

/** Everything known of a resource: its inputs, and its outputs as far as the last run got. */
export type State<Inputs, Outputs> = Inputs & Partial<Outputs>;

/**
 * What a kind of dynamic resource does, free of Pulumi's mechanics (see {@link implement}). All methods may be
 * interrupted anywhere and run again: observe, ensure, sync, return. Inputs that are unknown in a preview are absent.
 */
export interface Implementation<Inputs extends object, Outputs extends object> {
  /** Every input, and what a change of it means. */
  readonly inputs: Readonly<Record<keyof Inputs, OnChange>>;
  /** Version of what `create` and `update` return. State written under another version is updated. @default 1 */
  readonly schemaVersion?: number;
  /** Deletes the old one before the new one is created when an input of kind `replace` changes. @default false */
  readonly deleteBeforeReplace?: boolean;
  /** Not empty, not secret, and deterministic. */
  id(inputs: Inputs): string;
  /** All problems of the inputs that can be found without asking a server. */
  check?(inputs: Partial<Inputs>): Problem[] | Promise<Problem[]>;
  /**
   * Undeclared inputs that follow from the world, such as a plan: they are added to the declared ones, in the preview
   * too. Asked when `check` found nothing. Values that are unknown in a preview are undefined, wherever they lie.
   */
  derive?(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Derived<Inputs>>;
  /**
   * Names differences beyond the inputs; the inputs themselves are compared without it. Fast: asks no server except one
   * that has changed.
   */
  diff?(state: State<Inputs, Outputs>, inputs: Partial<Inputs>): Difference | Promise<Difference>;
  create(inputs: Inputs): Promise<Outputs>;
  /**
   * What exists now, `unseen` if it could not be looked at, or undefined if it is gone. Without this method the last
   * state stands.
   */
  read?(state: State<Inputs, Outputs>): Promise<Observation<Inputs, Outputs> | typeof unseen | undefined>;
  update(inputs: Inputs, state: State<Inputs, Outputs>): Promise<Outputs>;
  delete(state: State<Inputs, Outputs>): Promise<void>;
}

/** What the state holds while inputs are derived. */
export interface Before<Inputs extends object> {
  /** Inputs of the last run; absent when the resource does not exist yet. */
  readonly inputs?: Partial<Inputs>;
  /** A refresh has found drift. */
  readonly drifted: boolean;
}

/** What {@link Implementation.derive} found. */
export interface Derived<Inputs extends object> {
  readonly inputs: Partial<Inputs>;
  /** Problems of the inputs that show only with the world in sight. */
  readonly problems?: Problem[];
}

/** Something wrong with an input. */
export interface Problem {
  readonly property: string;
  readonly reason: string;
}

/** What differs; see {@link Implementation.diff}. */
export interface Difference {
  readonly changes?: boolean;
  /** Names of inputs that require a replacement. */
  readonly replaces?: readonly string[];
  /** Whether the old one is deleted before the new one is created. @default as declared for the kind */
  readonly deleteBeforeReplace?: boolean;
}

/** What `read` saw. */
export interface Observation<Inputs, Outputs> {
  /** The outputs now, with the inputs that were found to differ. */
  readonly state: Partial<Inputs> & Partial<Outputs>;
  /** A sentence for each difference from what was declared; the next `up` repairs them, the preview shows them. */
  readonly drift?: readonly string[];
}

/** It could not be looked at: the known state stands, including earlier differences. */
export const unseen = "unseen";

/**
 * An error after the thing has been created: what exists of it is kept in the state, and the next run continues with
 * `update` instead of starting over.
 */
export class HalfDone<Outputs extends object> extends Error {
  readonly outputs: Outputs;
  constructor(message: string, outputs: Outputs, options?: ErrorOptions) {
    super(message, options);
    this.outputs = outputs;
  }
}

/** The `provider` to which {@link forwarding} forwards: an implementation with Pulumi's mechanics around it. */
export function implement<Inputs extends object, Outputs extends object>(
  implementation: Implementation<Inputs, Outputs>,
): Required<Omit<pulumi.dynamic.ResourceProvider, "configure">> {
  const names = Object.keys(implementation.inputs) as (keyof Inputs & string)[];
  const inputsOf = (props: Props) => pick(props, names) as Inputs;
  const stateOf = (props: Props) => omit(props, mechanics) as State<Inputs, Outputs>;
  const version = implementation.schemaVersion ?? 1;
  const wire = (inputs: Props, outputs: object) =>
    clean({ ...pick(inputs, names), ...outputs, schemaVersion: version });

  return {
    async check(olds: Props | undefined, news: Props) {
      const failures = await plainly(async () => implementation.check?.(known(inputsOf(news))) ?? []);
      if (failures.length > 0 || implementation.derive === undefined) return { inputs: news, failures };
      const then = pick(olds ?? {}, names);
      const before = {
        ...(Object.keys(then).length > 0 && { inputs: then as Inputs }),
        drifted: (olds?.drift ?? []).length > 0,
      };
      const derived = await plainly(async () => implementation.derive?.(withoutUnknown(inputsOf(news)), before));
      return { inputs: { ...news, ...derived?.inputs }, failures: derived?.problems ?? [] };
    },
    async diff(_id: string, olds: Props, news: Props) {
      const more = await plainly(async () => implementation.diff?.(stateOf(olds), known(inputsOf(news))) ?? {});
      const changed = names.filter((name) => !same(olds[name], news[name]));
      const replaces = changed.filter((name) => implementation.inputs[name] === "replace" && !isUnknown(news[name]));
      const counts = (name: keyof Inputs & string) =>
        implementation.inputs[name] === "follow" ? news[name] !== undefined : implementation.inputs[name] !== "ignore";
      const changes =
        changed.some(counts) ||
        more.changes === true ||
        (more.replaces ?? []).length > 0 ||
        (olds.drift ?? []).length > 0 ||
        olds.schemaVersion !== version;
      return {
        changes,
        replaces: [...new Set([...replaces, ...(more.replaces ?? [])])],
        deleteBeforeReplace: more.deleteBeforeReplace ?? implementation.deleteBeforeReplace ?? false,
      };
    },
    async create(inputs: Props) {
      const id = implementation.id(inputsOf(inputs));
      const outputs = await settle(id, inputs, wire, () => implementation.create(inputsOf(inputs)));
      return { id, outs: wire(inputs, outputs) };
    },
    async read(id: string, props: Props = {}) {
      if (implementation.read === undefined) return { id, props };
      const look = async () => implementation.read?.(stateOf(props));
      const seen = await plainly(() => withCredentialsOfState(look));
      if (seen === undefined) return {};
      if (seen === unseen) return { id, props };
      const drift = (seen.drift ?? []).length > 0 ? { drift: seen.drift } : {};
      const now: Props = { ...omit(props, ["drift"]), ...seen.state };
      // The drift goes into the inputs too: a preview shows as changed only what differs there.
      return { id, props: clean({ ...now, ...drift }), inputs: clean({ ...pick(now, names), ...drift }) };
    },
    async update(id: string, olds: Props, news: Props) {
      const update = () => implementation.update(inputsOf(news), stateOf(olds));
      return { outs: wire(news, await settle(id, news, wire, update)) };
    },
    async delete(_id: string, props: Props) {
      await plainly(() => withCredentialsOfState(() => implementation.delete(stateOf(props))));
    },
  };
}

const mechanics = ["__provider", "drift", "schemaVersion"];

/** Runs a create or an update; what is half done goes into the state, with the provider text that continues it. */
async function settle<Outputs extends object>(
  id: string,
  inputs: Props,
  wire: (inputs: Props, outputs: object) => object,
  run: () => Promise<Outputs>,
): Promise<Outputs> {
  try {
    return await plainly(run);
  } catch (error) {
    if (!(error instanceof HalfDone)) throw error;
    const properties = { ...wire(inputs, error.outputs), __provider: inputs.__provider };
    throw Object.assign(error, { id, properties, reasons: [error.message] });
  }
}

/** The dynamic-provider process prints stacks of some methods' errors to the operator; the message has to suffice. */
async function plainly<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) error.stack = "";
    throw error;
  }
}
