import { z } from "zod";
import type { Context } from "../context.ts";
import { otherForms, text, words } from "../field.ts";
import { interpreterWebhooks, webhookList } from "./interpreter-webhooks.ts";
import { interpreterCustomization, customizationSpec } from "./interpreters.ts";
import { clusterAffinity, objectName, placementOfPolicy, resourceSelector } from "./placement-policy.ts";
import { fromTemplate } from "./policy-templates.ts";
import { type Rebalancer, workloadRebalancer } from "./rebalancer.ts";

const name = objectName.describe("Name of the object.");
const namespace = text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a DNS-1123 label such as "shop"')
  .default("default")
  .describe("Its namespace, which must be there, in the Karmada API.");
const anything = z.record(z.string(), z.unknown());
const rest = anything
  .default({})
  .describe(
    "Further fields of the object's `spec`, as Karmada's API has them: handed on as they are, checked by Karmada.",
  );

const propagation = {
  resourceSelectors: z.array(resourceSelector).min(1).describe("What it is for; at least one."),
  placement: placementOfPolicy.default({}).describe("Where that goes. Default: to every member."),
  schedulerName: words("the name of a scheduler")
    .optional()
    .describe(
      "Scheduler that decides it, by its flag `--scheduler-name`: karmada-scheduler, or one of `controlPlane.schedulers`; what names one that does not run is not scheduled. Default: `default-scheduler`. Karmada refuses to change it: give the policy another name at the same time.",
    ),
  spec: rest,
};

const overriders = z.strictObject(
  Object.fromEntries(
    [
      "plaintext",
      "imageOverrider",
      "commandOverrider",
      "argsOverrider",
      "labelsOverrider",
      "annotationsOverrider",
      "fieldOverrider",
    ].map((key) => [key, z.array(anything).optional().describe("As Karmada's API has it.")]),
  ),
);

const overriding = {
  resourceSelectors: z.array(resourceSelector).min(1).describe("What it is for; at least one."),
  overrideRules: z
    .array(
      z.strictObject({
        targetCluster: clusterAffinity
          .optional()
          .describe("In which members, with the fields of clusterAffinity. Default: in all."),
        overriders: overriders.describe("What is changed there."),
      }),
    )
    .min(1)
    .describe("What is changed where."),
  spec: rest,
};

const amounts = z
  .record(
    z.string().describe('the name of a resource such as "cpu"'),
    text(/^[0-9]+(\.[0-9]+)?([EPTGMk]i?|m)?$/, 'an amount such as "10" or "8Gi", in quotes'),
  )
  .describe("Amounts by the resource, for instance `cpu` and `memory`.");

/** A kind whose objects are in a namespace. */
const inNamespace = <K extends string, Fields extends z.ZodRawShape>(kind: K, what: string, fields: Fields) =>
  z.strictObject({ kind: z.literal(kind).describe(what), name, namespace, ...fields });

/** A kind whose objects are in none. */
const ofAll = <K extends string, Fields extends z.ZodRawShape>(kind: K, what: string, fields: Fields) =>
  z.strictObject({ kind: z.literal(kind).describe(what), name, ...fields });

/** One policy. */
const policy = z.discriminatedUnion("kind", [
  inNamespace("PropagationPolicy", "Places resources of one namespace.", propagation),
  ofAll("ClusterPropagationPolicy", "Places resources of any namespace, and those without one.", propagation),
  inNamespace("OverridePolicy", "Changes resources of one namespace on their way to members.", overriding),
  ofAll("ClusterOverridePolicy", "Changes resources of any namespace, and those without one.", overriding),
  inNamespace("FederatedResourceQuota", "Bounds what a namespace may take in all members together.", {
    overall: amounts,
    staticAssignments: z
      .array(
        z.strictObject({
          clusterName: objectName.describe("Name of a member."),
          hard: amounts,
        }),
      )
      .optional()
      .describe("What of it each member may give."),
    spec: rest,
  }),
  workloadRebalancer,
  interpreterCustomization,
  interpreterWebhooks,
]);
otherForms.set(policy, fromTemplate);

export const policies = z
  .array(policy)
  .default([])
  .describe("Objects of Karmada's API that say what goes where and how, kept as declared here.");

export type Policy = z.output<typeof policy>;
export type PolicyKind = Exclude<Policy["kind"], "WorkloadRebalancer">;

/** Group and version of a kind. */
export const apiVersionOf = (kind: PolicyKind): string => `${groups[kind] ?? "policy"}.karmada.io/v1alpha1`;

const groups: Readonly<Partial<Record<PolicyKind, string>>> = {
  ResourceInterpreterCustomization: "config",
  ResourceInterpreterWebhookConfiguration: "config",
};

/** A policy as an API object, with either `spec` or `webhooks`, depending on its kind. */
export interface PolicyObject {
  readonly kind: PolicyKind;
  readonly name: string;
  /** Absent for kinds that have none. */
  readonly namespace?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly webhooks?: readonly object[];
}

/** Persistent objects, and those that do something once. */
export function policyObjects(typed: readonly Policy[], context: Context) {
  return {
    policies: typed.flatMap((each) => (each.kind === "WorkloadRebalancer" ? [] : [policyObject(each, context)])),
    rebalancers: typed.filter(({ kind }) => kind === "WorkloadRebalancer") as unknown as readonly Rebalancer[],
  };
}

/** The object of a policy, with the defaults of Karmada's webhook, so that it reads back as declared. */
function policyObject(typed: Exclude<Policy, { kind: "WorkloadRebalancer" }>, context: Context): PolicyObject {
  const { kind, name } = typed;
  switch (typed.kind) {
    case "ResourceInterpreterCustomization":
      return { kind, name, spec: customizationSpec(typed, context) };
    case "ResourceInterpreterWebhookConfiguration":
      return { kind, name, webhooks: webhookList(typed, context) };
    default: {
      const { kind: _kind, name: _name, spec, ...rest } = typed;
      if (!("namespace" in rest)) return { kind, name, spec: { ...spec, ...filled(rest) } };
      const { namespace, ...own } = rest;
      return { kind, name, namespace, spec: { ...spec, ...filled(own, namespace) } };
    }
  }
}

function filled(own: Readonly<Record<string, unknown>>, namespace?: string): Record<string, unknown> {
  const { resourceSelectors, placement, ...others } = own as Partial<Extract<Policy, { kind: "PropagationPolicy" }>>;
  return {
    ...others,
    ...(resourceSelectors && {
      resourceSelectors: resourceSelectors.map((each) => ({ ...(namespace && { namespace }), ...each })),
    }),
    ...(placement && { placement: filledPlacement(placement) }),
  };
}

function filledPlacement({ replicaScheduling, ...rest }: z.output<typeof placementOfPolicy>) {
  const divided = replicaScheduling?.replicaSchedulingType === "Divided";
  return {
    ...rest,
    ...(replicaScheduling && {
      replicaScheduling: { ...(divided && { replicaDivisionPreference: "Weighted" }), ...replicaScheduling },
    }),
  };
}

/** The name of a policy in messages: `PropagationPolicy default/web`. */
export const policyTitle = (typed: Pick<Policy, "kind" | "name"> & { readonly namespace?: string }): string =>
  `${typed.kind} ${typed.namespace === undefined ? "" : `${typed.namespace}/`}${typed.name}`;
