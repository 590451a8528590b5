/** Stack files as pulumi reads them (sdk/go/common/workspace, `LoadProjectStackBytes`; sdk/go/common/resource/config). */
import { parse } from "yaml";

/**
 * The contents of a stack file. Merge keys (`<<: *first`) are merged, and an anchor may have any number of aliases.
 *
 * @throws when it is not YAML
 */
export const parseStackFile = (text: string): unknown => parse(text, { merge: true, maxAliasCount: -1 });

/** A key below `config:` in its whole form, `<project>:<name>`. */
export const wholeKey = (key: string, project: string): string =>
  key.includes(":") ? key.replace(/^([^:]*):config:([^:]*)$/, "$1:$2") : `${project}:${key}`;

/** Whether a value is encrypted: `secure: <ciphertext>`, with nothing beside it. */
export const isEncrypted = (value: object): boolean => {
  const [[key, text] = [], another] = Object.entries(value);
  return key === "secure" && typeof text === "string" && another === undefined;
};
