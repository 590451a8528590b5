import * as pulumi from "@pulumi/pulumi";
import type { Context } from "../spec/context.ts";
import { DeploymentStack } from "./deployment-stack.ts";
import { encryptedKeys } from "./encrypted-keys.ts";

/** This stack's templates, for other stacks: secret if the stack file has encrypted values in them. */
export function offeredByThis(templates: readonly object[]) {
  return encryptedKeys().has("policyTemplates") ? pulumi.secret(templates) : templates;
}

/** What the stacks offer that `policyTemplatesFrom` names, by their names as typed. */
export async function offeredTemplates({
  policyTemplatesFrom: typed,
}: Readonly<Record<string, unknown>>): Promise<NonNullable<Context["templates"]>> {
  const stacks = (Array.isArray(typed) ? (typed as unknown[]) : []).filter((stack) => typeof stack === "string");
  const offered = [...new Set(stacks)].map(async (stack) => [stack, await templatesOf(stack, stacks.indexOf(stack))]);
  return Object.fromEntries(await Promise.all(offered)) as NonNullable<Context["templates"]>;
}

async function templatesOf(stack: string, i: number): Promise<unknown> {
  const field = `policyTemplatesFrom[${i}]`;
  const offering = new DeploymentStack(stack, field, `templates-${stack}`);
  const templates = await offering.value("policyTemplates");
  if (templates !== undefined) return templates;
  throw new pulumi.RunError(
    `${field}: the stack ${offering.name} offers no templates\nwrite them into its policyTemplates, and bring it up with this version of the program`,
  );
}
