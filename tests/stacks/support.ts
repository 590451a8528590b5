import * as pulumi from "@pulumi/pulumi";

/** A resource as a program registered it. */
export interface Made {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
}

/** Has the programs read these values, as Pulumi hands over those of a stack file. */
export function setConfig(config: Record<string, unknown>): void {
  const entries = Object.entries(config).map(([key, value]) => [
    `karmada:${key}`,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  pulumi.runtime.setAllConfig(Object.fromEntries(entries) as Record<string, string>);
}

/**
 * Runs a program as a stack with this configuration; nothing is made.
 *
 * @param outputs of any stack that it refers to
 * @param program imports what declares resources, only once this has begun, and gives the stack's outputs
 * @param made what was registered, also of a program that fails; those of before are dropped
 * @param known what resources give besides their inputs, by type
 * @returns the outputs
 */
export async function runStack(
  config: Record<string, unknown>,
  outputs: object,
  program: () => Promise<object>,
  made: Made[],
  known: Readonly<Record<string, object>> = {},
): Promise<unknown> {
  made.length = 0;
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        made.push({ type, name, inputs: inputs as Made["inputs"] });
        const state = type === "pulumi:pulumi:StackReference" ? { ...inputs, outputs } : { ...inputs, ...known[type] };
        return { id: name, state: state as object };
      },
      call: ({ token, inputs }) =>
        (token === "pulumi:pulumi:readStackOutputs" ? { ...inputs, outputs } : inputs) as object,
    },
    "karmada",
    "tested",
    false,
    "organization",
  );
  setConfig(config);
  const stack = await program();
  const settled = await new Promise((resolve) => pulumi.output(stack).apply(resolve));
  await pulumi.runtime.disconnect();
  made.sort((a, b) => (a.name < b.name ? -1 : 1)); // children of one parent are made side by side
  return settled;
}
