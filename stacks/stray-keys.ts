import * as pulumi from "@pulumi/pulumi";
import { parse as parseYaml } from "yaml";
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
  const typed: unknown = "text" in file ? parseYaml(file.text) : undefined;
  return typeof typed === "object" && typed !== null ? Object.keys(typed) : [];
}
