import * as pulumi from "@pulumi/pulumi";
import { isMap, parseDocument } from "yaml";
import type { Problem } from "../spec/problems.ts";
import { checkNamespaces, checkTopLevel, namespaceWarnings } from "../spec/stray-keys.ts";
import { fileContent } from "./named-files.ts";

/** Misplaced keys of the running stack: see spec/stray-keys.ts. */
export function strayKeys(directory: string): { readonly problems: readonly Problem[]; readonly warnings: string[] } {
  const keys = Object.keys(pulumi.runtime.allConfig());
  const project = pulumi.getProject();
  return {
    problems: [...checkTopLevel(topLevelKeys(directory)), ...checkNamespaces(keys, project)],
    warnings: namespaceWarnings(keys, project),
  };
}

/** Those of the stack file in its usual place: Pulumi does not reveal another one (`--config-file`). */
function topLevelKeys(directory: string): string[] {
  const file = fileContent(`Pulumi.${pulumi.getStack()}.yaml`, directory);
  // Pulumi has read it with its own YAML parser: the complaints of another parser do not matter.
  const typed = "text" in file ? parseDocument(file.text, { logLevel: "silent" }).contents : undefined;
  return isMap(typed) ? typed.items.map(({ key }) => String(key)) : [];
}
