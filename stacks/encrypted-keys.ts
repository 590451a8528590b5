import * as pulumi from "@pulumi/pulumi";

/** The keys of the stack file that hold an encrypted value, without the project's name. Pulumi tells no more than the key. */
export function encryptedKeys(): ReadonlySet<string> {
  // Set by the language host; the SDK's own accessor is private.
  const keys = JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS || "[]") as string[];
  return new Set(keys.map((key) => key.slice(pulumi.getProject().length + 1)));
}
