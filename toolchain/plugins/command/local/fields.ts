import type { Fields } from "../fields.ts";

/** What both local.Command and local.run take. */
export const localFields: Fields = {
  stdin: { type: "string" },
  logging: { type: "string" },
  interpreter: { type: "strings" },
  dir: { type: "string" },
  environment: { type: "string-map" },
  assetPaths: { type: "strings" },
  archivePaths: { type: "strings" },
  addPreviousOutputInEnv: { type: "boolean" },
};
