import type { BridgedResource } from "../bridge/schema.ts";
import { characterAttributes, importedCharacters } from "./characters.ts";
import { output } from "./output.ts";
import { randomText } from "./random-text.ts";

/** Go's bcrypt.DefaultCost. */
const COST = 10;

/** https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/provider/resource_password.go */
export const randomPassword: BridgedResource = {
  schemaVersion: 3,
  attributes: {
    ...characterAttributes,
    result: { ...output, sensitive: true },
    bcryptHash: { ...output, sensitive: true },
    id: output,
  },
  async create(planned) {
    const result = randomText(planned);
    return { ...planned, id: "none", result, bcryptHash: await bcryptHash(result) };
  },
  import: async (text) => ({ ...importedCharacters(text), id: "none", bcryptHash: await bcryptHash(text) }),
};

/** Of the first 72 bytes, which is all bcrypt looks at; marked `$2a$` as Go does, which means the same as `$2b$`. */
async function bcryptHash(text: string): Promise<string> {
  const { default: bcrypt } = await import("bcryptjs");
  const salt = await bcrypt.genSalt(COST);
  return bcrypt.hash(text, salt.replace("$2b$", "$2a$"));
}
