import { reveal } from "../../server/index.ts";
import type { InvokeRequest, Properties } from "../../server/index.ts";
import { gvkOfObject } from "../gvk.ts";
import { apiVersionOf, fromProperties, kindOf, namespaceOf, setAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";
import { parseManifests } from "./manifests.ts";

/** For `yaml.ConfigFile` and `yaml.ConfigGroup` of version 1, which register the objects of a text in the program. */
export async function decodeYaml(session: Session, { args }: InvokeRequest): Promise<Properties> {
  const { text, defaultNamespace } = reveal(args);
  if (typeof text !== "string") throw new Error("missing required field 'text' of type string");
  const result: KubeObject[] = [];
  for (const object of parseManifests(text).map(fromProperties)) {
    if (!kindOf(object) || !apiVersionOf(object)) continue;
    if (typeof defaultNamespace === "string" && defaultNamespace && !namespaceOf(object)) {
      const namespaced = (await session.isNamespaced(gvkOfObject(object))) ?? true;
      if (namespaced) setAt(object, defaultNamespace, "metadata", "namespace");
    }
    result.push(object);
  }
  return { result };
}
