import type { Fields } from "./fields.ts";

/** The inputs local.Command and remote.Command share. */
export const commandFields: Fields = {
  triggers: { type: "list" },
  create: { type: "string" },
  update: { type: "string" },
  delete: { type: "string" },
  stdin: { type: "string" },
  logging: { type: "string" },
  environment: { type: "string-map" },
  addPreviousOutputInEnv: { type: "boolean" },
};
