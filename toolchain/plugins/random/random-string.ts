import type { BridgedResource } from "../bridge/schema.ts";
import { characterAttributes, importedCharacters } from "./characters.ts";
import { output } from "./output.ts";
import { randomText } from "./random-text.ts";

/** https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/provider/resource_string.go */
export const randomString: BridgedResource = {
  schemaVersion: 2,
  attributes: { ...characterAttributes, result: output, id: output },
  async create(planned) {
    const result = randomText(planned);
    return { ...planned, id: result, result };
  },
  import: (id) => ({ ...importedCharacters(id), id }),
};
