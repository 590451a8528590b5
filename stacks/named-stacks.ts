import * as pulumi from "@pulumi/pulumi";
import type { Context } from "../spec/context.ts";
import { stackNamePattern } from "../spec/stack-name.ts";
import { wholeName } from "./deployment-stack.ts";
import { textsOf } from "./kubeconfigs.ts";

type Typed = Readonly<Record<string, unknown>>;

/** The outputs of the stacks that have kubeconfigs or an etcd for this one, by the stack's name as typed. */
export async function namedStacks(typed: Typed): Promise<NonNullable<Context["stacks"]>> {
  const named = [...textsOf(typed, "stack", "stack"), ...etcdStackOf(typed)];
  const names = named.filter((name) => stackNamePattern.test(name));
  const read = new Map([...new Set(names.map(wholeName))].map((whole) => [whole, outputsOf(whole)]));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await read.get(wholeName(name))!] as const)),
  );
}

/**
 * Not a StackReference: that would copy everything the other stack gives out into this one's state and previews, in clear
 * where it is no secret there, and where it fails there is no word of the field that names it.
 */
async function outputsOf(stack: string): Promise<NonNullable<Context["stacks"]>[string]> {
  try {
    const found: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name: stack });
    const { outputs = {} } = found as { readonly outputs?: Typed };
    return { outputs: Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, textOf(value)])) };
  } catch (error) {
    const reason = (error as Error).message.replace(/^invocation of \S+ returned an error: /, "");
    return {
      error: `the stack ${stack} cannot be read: ${reason}; npm run pulumi -- stack ls --all has those there are`,
    };
  }
}

/** Of an object JSON that is the same each time: the SDK hands objects on with their keys sorted. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The stack whose etcd a control plane uses, right or wrong. */
function etcdStackOf({ etcd }: Typed): string[] {
  const { stack } = (etcd ?? {}) as { readonly stack?: unknown };
  return typeof stack === "string" ? [stack] : [];
}
