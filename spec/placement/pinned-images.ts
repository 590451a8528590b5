import { type SettableProgram, settablePrograms } from "../control-plane/component-names.ts";
import { type OwnVersions, versionOf } from "../control-plane/component-versions.ts";
import type { Problem } from "../problems.ts";
import type { Versions } from "../versions.ts";
import { imageVersion } from "./image-version.ts";

/** An etcd by itself has no control plane. */
type Declared =
  | { readonly versions: Versions; readonly controlPlane: OwnVersions }
  | { readonly versions: Pick<Versions, "etcd">; readonly controlPlane?: undefined };

type Pinned = Readonly<Record<string, string | undefined>>;

/**
 * Finds pinned images whose tags name another version than is declared: what runs would be of that, and the deployment
 * go by the declared one. A digest alone tells none.
 */
export function checkPinned(path: Problem["path"], pinned: Pinned, all: Declared): Problem[] {
  const declared = (program: string) => {
    if (program === "etcd") return all.versions.etcd;
    return all.controlPlane && isSettable(program) ? versionOf(program, all.controlPlane, all.versions) : undefined;
  };
  return Object.entries(pinned).flatMap(([program, image]) => {
    const want = declared(program);
    const is = image === undefined ? undefined : imageVersion(image);
    if (want === undefined || is === undefined || is === want) return [];
    const message = `got "${image}", want one of ${want}, as declared, or its digest without a tag`;
    return [{ path: [...path, program], message }];
  });
}

const isSettable = (program: string): program is SettableProgram =>
  (settablePrograms as readonly string[]).includes(program);
