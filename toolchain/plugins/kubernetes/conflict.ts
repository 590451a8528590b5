import { isConflict } from "./api-error.ts";

/** Says of a conflict with other field managers which manager wanted what, and where help is. */
export function explainConflict(error: unknown, fieldManager: string): unknown {
  if (!isConflict(error)) return error;
  const link =
    "https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/" +
    "managing-resources-with-server-side-apply/#handle-field-conflicts-on-existing-resources";
  return new Error(
    `server-side apply field conflict detected, see ${link} for troubleshooting help\n` +
      `The resource managed by field manager ${JSON.stringify(fieldManager)} had an apply conflict: ${(error as Error).message}`,
    { cause: error },
  );
}
