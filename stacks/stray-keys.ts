import * as pulumi from "@pulumi/pulumi";
import { isMap, parseDocument } from "yaml";
import type { Problem } from "../spec/problems.ts";
import { checkNamespaces, checkTopLevel, namespaceWarnings } from "../spec/stray-keys.ts";
import { fileContent } from "./named-files.ts";

/** What is wrong with where the keys of the stack that runs stand: see spec/stray-keys.ts. */
export function strayKeys(directory: string): { readonly problems: readonly Problem[]; readonly warnings: string[] } {
  const keys = Object.keys(pulumi.runtime.allConfig());
  const project = pulumi.getProject();
  return {
    problems: [...checkTopLevel(topLevelKeys(directory)), ...checkNamespaces(keys, project)],
    warnings: namespaceWarnings(keys, project),
  };
}

/** Those of the stack file where it has its usual place: Pulumi does not tell of another (`--config-file`). */
function topLevelKeys(directory: string): string[] {
  const file = fileContent(`Pulumi.${pulumi.getStack()}.yaml`, directory);
  // Pulumi has read it, as YAML of its own kind: what is wrong with it in the eyes of another parser is none of our business.
  const typed = "text" in file ? parseDocument(file.text, { logLevel: "silent" }).contents : undefined;
  return isMap(typed) ? typed.items.map(({ key }) => String(key)) : [];
}
