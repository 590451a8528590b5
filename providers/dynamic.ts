import * as pulumi from "@pulumi/pulumi";

/**
 * The base of every dynamic resource: its program side. The other side, which the dynamic-provider process runs, is
 * implementation.ts.
 *
 * To the engine it is a `pulumi.dynamic.Resource`. That class serializes its provider from closures, for which the SDK
 * loads the TypeScript compiler; here the text is written by hand (see {@link forwarding}), a seventh as long, in the
 * state of each resource.
 *
 * A subclass names its provider in a module-level constant and declares its outputs with
 * `declare readonly x: pulumi.Output<T>`; a field without `declare` would overwrite what the base has set.
 */
export abstract class DynamicResource<Inputs extends object> extends pulumi.CustomResource {
  protected constructor(
    provider: ProviderText,
    type: DynamicType,
    name: string,
    args: AsInputs<Inputs>,
    opts: pulumi.CustomResourceOptions = {},
  ) {
    const { module, type: typeName, outputs, secretInputs = [], secretOutputs = [], deleteBeforeReplace } = type;
    // An output exists only if it is named.
    const props: pulumi.Inputs = { ...Object.fromEntries(outputs.map((output) => [output, undefined])), ...args };
    for (const input of secretInputs) if (props[input] !== undefined) props[input] = pulumi.secret(props[input]);
    const merged = pulumi.mergeOptions(opts, {
      additionalSecretOutputs: [...secretOutputs],
      ...(deleteBeforeReplace && { deleteBeforeReplace }),
    });
    super(`pulumi-nodejs:dynamic/${module}:${typeName}`, name, { ...props, __provider: provider }, merged);
  }
}

/** Its arguments in a program: values that may be known only later. */
export type AsInputs<T> = { readonly [K in keyof T]: pulumi.Input<T[K]> };

/** Further arguments of one with files: the state keeps only their digests. */
export interface FileContents {
  /** Contents by path below the process's directory, for instance `pki/ca.crt`; may be secret. */
  readonly contents: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>;
}

/** The name of a kind of dynamic resource, and its outputs. */
export interface DynamicType {
  /** The area, the middle of the type token `pulumi-nodejs:dynamic/<module>:<type>`. */
  readonly module: string;
  readonly type: string;
  /** Names of all outputs that are not also inputs. */
  readonly outputs: readonly string[];
  /** Inputs always encrypted in the state, secret or not; the outputs of the same names too. */
  readonly secretInputs?: readonly string[];
  /** Outputs to encrypt in the state. An output named like a secret input is secret without being named here. */
  readonly secretOutputs?: readonly string[];
  /**
   * Whether the old one is deleted before the new one is made, also when the operator forces a replacement (`up
   * --replace`, `state taint`). The engine asks for no diff then: it would make the thing where it is, and delete it at
   * the end. For what must not be gone in between, the deletion is skipped instead (still-declared.ts). @default false
   */
  readonly deleteBeforeReplace?: boolean;
}

/**
 * A module whose `handler` returns a `pulumi.dynamic.ResourceProvider`: what `@pulumi/pulumi/cmd/dynamic-provider`
 * runs.
 */
export type ProviderText = string;

/**
 * A provider that only forwards to the `provider` exported by `providers/<name>.ts`. Its text, which Pulumi keeps in
 * the state of each resource, stays the same when the implementation changes, so that read and delete run the code that
 * is installed now and a release alone is never a change. The import is resolved against the program's directory by the
 * process that evaluates the text.
 */
export function forwarding(name: string): ProviderText {
  return `const load = async () => (await import("./providers/${name}.ts")).provider;
const forward = (method) => [method, async (...args) => (await load())[method](...args)];
exports.handler = () => Object.fromEntries(["check", "diff", "create", "read", "update", "delete"].map(forward));
`;
}
