import { z } from "zod";
import { fieldNotes, text, whole, words } from "../field.ts";
import { labelKey, labelValue } from "../values/labels.ts";

/** Fields that several kinds of policies have, as Karmada's API calls them (https://karmada.io/docs/reference). */

/** A name of an object in a Kubernetes API. */
export const objectName = text(
  /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'a name of lower-case letters, digits, "-" and "."',
);
const clusterNames = z
  .array(words("the name of a member"))
  .optional()
  .describe("Names of members; each must be one of `members` or `memberGroups`.");

const labelSelector = z
  .strictObject({
    matchLabels: z.record(labelKey, labelValue).optional().describe("Labels, all of them."),
    matchExpressions: z
      .array(
        z.strictObject({
          key: labelKey.describe("Key of a label."),
          operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How it compares."),
          values: z.array(labelValue).optional().describe("With what; none for Exists and DoesNotExist."),
        }),
      )
      .optional()
      .describe("Conditions on labels, all of them."),
  })
  .optional();

/** Which resources a policy is for. */
export const resourceSelector = z.strictObject({
  apiVersion: words('a group and version such as "apps/v1"').describe("Group and version, for instance `apps/v1`."),
  kind: words('a kind such as "Deployment"').describe("Kind, for instance `Deployment`."),
  namespace: objectName
    .optional()
    .describe("Namespace. Default: that of the policy; every one for a policy without a namespace."),
  name: words("the name of an object").optional().describe("Name. Default: all that the selector finds."),
  labelSelector: labelSelector.describe("Labels of the resources."),
});

const affinityFields = {
  clusterNames,
  exclude: z.array(words("the name of a member")).optional().describe("Names of members to leave out."),
  labelSelector: labelSelector.describe("Labels of Cluster objects."),
  fieldSelector: z
    .strictObject({
      matchExpressions: z
        .array(
          z.strictObject({
            key: z.enum(["provider", "region", "zone"]).describe("Field of the Cluster object."),
            operator: z.enum(["In", "NotIn"]).describe("How it compares."),
            values: z.array(words("a value")).describe("With what."),
          }),
        )
        .describe("Conditions, all of them."),
    })
    .optional()
    .describe("Provider, region and zone of Cluster objects."),
};

/** Which members: what is given has to hold all at once. */
export const clusterAffinity = z.strictObject(affinityFields);

export type ClusterAffinity = z.output<typeof clusterAffinity>;

const toleration = z.strictObject({
  key: labelKey.optional().describe("Key of the taint. Default: any, with operator Exists."),
  operator: z.enum(["Equal", "Exists"]).optional().describe("How it compares. Default: Equal."),
  value: labelValue.optional().describe("Value of the taint."),
  effect: z.enum(["NoSchedule", "NoExecute"]).optional().describe("Effect of the taint. Default: both."),
  tolerationSeconds: whole(0, 2 ** 31 - 1)
    .optional()
    .describe("How long it is tolerated, with NoExecute. Default: for ever."),
});

const spreadConstraint = z.strictObject({
  spreadByField: z.enum(["cluster", "region", "zone", "provider"]).optional().describe("Groups of members by a field."),
  spreadByLabel: labelKey.optional().describe("Groups of members by a label of theirs."),
  minGroups: whole(1, 1000).optional().describe("Fewest groups."),
  maxGroups: whole(1, 1000).optional().describe("Most groups."),
});

const replicaScheduling = z.strictObject({
  replicaSchedulingType: z
    .enum(["Duplicated", "Divided"])
    .default("Divided")
    .describe("Duplicated: each member has all replicas. Divided: they share them."),
  replicaDivisionPreference: z
    .enum(["Aggregated", "Weighted"])
    .optional()
    .describe("How they are divided: into few members, or by weights. Default: Weighted."),
  weightPreference: z
    .strictObject({
      staticWeightList: z
        .array(
          z.strictObject({
            targetCluster: clusterAffinity.describe("Which members, with the fields of clusterAffinity."),
            weight: whole(1, 2 ** 31 - 1).describe("Of each of them."),
          }),
        )
        .optional()
        .describe("Weights of members."),
      dynamicWeight: z
        .enum(["AvailableReplicas"])
        .optional()
        .describe("By the replicas each has room for, in place of fixed weights."),
    })
    .optional()
    .describe("The weights. Default: all alike."),
});

/** Where a policy places what it selects. */
export const placementOfPolicy = z
  .strictObject({
    clusterAffinity: clusterAffinity.optional().describe("Which members. Default: all."),
    clusterAffinities: z
      .array(z.strictObject({ affinityName: words("a name of the group").describe("Its name."), ...affinityFields }))
      .optional()
      .describe("Groups of members in the order in which they are tried, each with the fields of clusterAffinity."),
    clusterTolerations: z.array(toleration).optional().describe("Taints of members that are no obstacle."),
    spreadConstraints: z.array(spreadConstraint).optional().describe("Into how many groups of members it is spread."),
    replicaScheduling: replicaScheduling.optional().describe("How replicas are shared out. Default: Duplicated."),
  })
  .register(fieldNotes, { want: "an object with clusterAffinity, for instance" });

export type PolicyPlacement = z.output<typeof placementOfPolicy>;
