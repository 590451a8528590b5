import * as pulumi from "@pulumi/pulumi";

/**
 * The base of every dynamic resource: what the program side of one has to take care of. The other side, which the
 * dynamic-provider process runs, is implementation.ts.
 *
 * It is to the engine what `pulumi.dynamic.Resource` is. That one writes the text of its provider out of closures, for
 * which the SDK loads the TypeScript compiler; here the text is written by hand (see {@link forwarding}), a seventh as
 * long, in the state of each resource.
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
    // An output is only there when it is named.
    const props: pulumi.Inputs = { ...Object.fromEntries(outputs.map((output) => [output, undefined])), ...args };
    for (const input of secretInputs) if (props[input] !== undefined) props[input] = pulumi.secret(props[input]);
    const merged = pulumi.mergeOptions(opts, {
      additionalSecretOutputs: [...secretOutputs],
      ...(deleteBeforeReplace && { deleteBeforeReplace }),
    });
    super(`pulumi-nodejs:dynamic/${module}:${typeName}`, name, { ...props, __provider: provider }, merged);
  }
}

/** What a program declares it with: values that may be known later only. */
export type AsInputs<T> = { readonly [K in keyof T]: pulumi.Input<T[K]> };

/** What one with files is declared with besides: the state keeps their digests only. */
export interface FileContents {
  /** Contents by path below the process's directory, for instance `pki/ca.crt`; secrets are welcome. */
  readonly contents: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>;
}

/** What a kind of dynamic resource is called and what it gives back. */
export interface DynamicType {
  /** The area, the middle of the type token `pulumi-nodejs:dynamic/<module>:<type>`. */
  readonly module: string;
  readonly type: string;
  /** Names of all outputs that are not inputs at the same time. */
  readonly outputs: readonly string[];
  /** Inputs to encrypt in the state whatever they come in as. Their outputs are secret with them. */
  readonly secretInputs?: readonly string[];
  /** Outputs to encrypt in the state. An output named like a secret input is secret without being named here. */
  readonly secretOutputs?: readonly string[];
  /**
   * Whether the old one is deleted before the new one is made, also where the operator demands a replacement (`up --replace`,
   * `state taint`). The engine asks for no diff then: it would make the thing where it is, and delete it at the end. What
   * must not be gone in between has its deletion spared instead (still-declared.ts). @default false
   */
  readonly deleteBeforeReplace?: boolean;
}

/** A module whose `handler` gives a `pulumi.dynamic.ResourceProvider`: what `@pulumi/pulumi/cmd/dynamic-provider` runs. */
export type ProviderText = string;

/**
 * A provider that only forwards to the `provider` which `providers/<name>.ts` exports. Its text, which Pulumi keeps in the
 * state of each resource, stays the same when the implementation changes, so that read and delete run the code that is
 * installed now and a release alone is never a change. The import is resolved against the program's directory by the
 * process that evaluates the text.
 */
export function forwarding(name: string): ProviderText {
  return `const load = async () => (await import("./providers/${name}.ts")).provider;
const forward = (method) => [method, async (...args) => (await load())[method](...args)];
exports.handler = () => Object.fromEntries(["check", "diff", "create", "read", "update", "delete"].map(forward));
`;
}
