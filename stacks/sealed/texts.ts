import * as pulumi from "@pulumi/pulumi";

/** Texts by name, each of which may be a secret. */
export const sealTexts = (texts: Readonly<Record<string, string>>): Record<string, pulumi.Output<string>> =>
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, pulumi.secret(value)]));
