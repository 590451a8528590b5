import * as pulumi from "@pulumi/pulumi";

/** Named values of several parts, as one output. */
export const mergedOutputs = (
  parts: readonly Readonly<Record<string, pulumi.Output<string>>>[],
): pulumi.Output<Record<string, string>> =>
  pulumi.all(Object.assign({}, ...parts) as Record<string, pulumi.Output<string>>);
