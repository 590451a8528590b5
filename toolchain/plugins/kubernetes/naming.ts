/** Names for objects whose program gives none: the logical name and a random end. */
import { createHash, randomBytes } from "node:crypto";
import { Unknown } from "../server/index.ts";
import type { CheckRequest } from "../server/index.ts";
import { AUTONAMED, isAnnotationTrue, setAnnotation } from "./annotations.ts";
import { at, nameOf, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";

/** `prefix` and eight hexadecimal digits, the same for the same seed. */
export function uniqueName(prefix: string, seed?: Uint8Array): string {
  const random = seed?.length ? createHash("sha256").update(seed).digest() : randomBytes(4);
  return prefix + random.toString("hex").slice(0, 8);
}

/** Names the object unless it has a name, or will have one. @throws Error when the user switched autonaming off */
export function assignName(
  object: KubeObject,
  { name, randomSeed, autonaming }: Pick<CheckRequest, "name" | "randomSeed" | "autonaming">,
): void {
  if (isNamed(object) || isGenerateName(object)) return;
  if (autonaming?.mode === "disable") {
    throw new Error("autonaming is disabled, resource requires the .metadata.name field to be set");
  }
  setAt(object, autonaming?.proposedName || uniqueName(`${name}-`, randomSeed), "metadata", "name");
  setAnnotation(object, AUTONAMED, "true");
}

/** Keeps the name that was given before. */
export function adoptName(object: KubeObject, old: KubeObject): void {
  if (isNamed(object) || !isAutonamed(old)) return;
  setAt(object, nameOf(old), "metadata", "name");
  setAnnotation(object, AUTONAMED, "true");
}

export function isAutonamed(object: KubeObject): boolean {
  return isAnnotationTrue(object, AUTONAMED);
}

/** Whether the program gives the name, be it one that is unknown yet. */
export function isNamed(object: KubeObject): boolean {
  return at(object, "metadata", "name") instanceof Unknown || nameOf(object) !== "";
}

/** Whether the server is to make up the name. */
export function isGenerateName(object: KubeObject): boolean {
  if (isNamed(object)) return false;
  const prefix = at(object, "metadata", "generateName");
  return prefix instanceof Unknown || (typeof prefix === "string" && prefix !== "");
}
