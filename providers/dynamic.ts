import * as pulumi from "@pulumi/pulumi";

/**
 * The base of every dynamic resource: what the program side of one has to take care of. The other side, which the
 * dynamic-provider process runs, is implementation.ts.
 *
 * A subclass names its thin provider (see {@link forwarding}) in a module-level constant and declares its outputs with
 * `declare readonly x: pulumi.Output<T>`; a field without `declare` would overwrite what the base has set.
 */
export abstract class DynamicResource<Inputs extends object> extends pulumi.dynamic.Resource {
  protected constructor(
    provider: pulumi.dynamic.ResourceProvider,
    type: DynamicType,
    name: string,
    args: { readonly [K in keyof Inputs]: pulumi.Input<Inputs[K]> },
    opts: pulumi.CustomResourceOptions = {},
  ) {
    const { module, type: typeName, outputs, secretInputs = [], secretOutputs = [] } = type;
    // A copy, since the SDK writes `__provider` into what it is given; an output is only there when it is named.
    const props: pulumi.Inputs = { ...Object.fromEntries(outputs.map((output) => [output, undefined])), ...args };
    for (const input of secretInputs) if (props[input] !== undefined) props[input] = pulumi.secret(props[input]);
    const merged = pulumi.mergeOptions(opts, { additionalSecretOutputs: [...secretOutputs] });
    super(provider, name, props, merged, module, typeName);
  }
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
}

/**
 * A provider that only forwards to the `provider` which `providers/<name>.ts` exports. Its text, which Pulumi keeps in the
 * state of each resource, stays the same when the implementation changes, so that read and delete run the code that is
 * installed now and a release alone is never a change. Call it once per kind, at module level: the SDK caches the text by
 * object. The import is resolved against the program's directory by the process that evaluates the text.
 */
export function forwarding(name: string): pulumi.dynamic.ResourceProvider {
  const load = async () => (await import(`./providers/${name}.ts`)).provider;
  return {
    check: async (olds, news) => (await load()).check(olds, news),
    diff: async (id, olds, news) => (await load()).diff(id, olds, news),
    create: async (inputs) => (await load()).create(inputs),
    read: async (id, props) => (await load()).read(id, props),
    update: async (id, olds, news) => (await load()).update(id, olds, news),
    delete: async (id, props) => (await load()).delete(id, props),
  };
}
