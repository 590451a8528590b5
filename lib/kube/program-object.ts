import { readFileSync } from "node:fs";
import { gzipSync, gunzipSync } from "node:zlib";
import { bundledProgram } from "../own-bundle.ts";
import type { KubeObject } from "./client.ts";
import { sha256 } from "../sha256.ts";

/** The key of the program in its object, and so the name of the mounted file. */
export const programKey = "program.mjs.gz";

/** The API's limit (https://kubernetes.io/docs/concepts/configuration/configmap/). */
const most = 1024 * 1024;

/** A ConfigMap with a program of ours as one compressed file. @throws when it is too large */
export function programObject(name: string, main: string): KubeObject {
  const { file } = bundledProgram(main);
  const content = gzipSync(readFileSync(file.path));
  if (content.length > most)
    throw new Error(`${main}: ${content.length} bytes when compressed, and a ConfigMap takes ${most}`);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    binaryData: { [programKey]: content.toString("base64") },
  };
}

/** Digest of the program that an object holds; undefined when it holds none. */
export function programDigest(object: KubeObject): string | undefined {
  try {
    const content = gunzipSync(Buffer.from(String(object["binaryData"]?.[programKey]), "base64"));
    return sha256(content);
  } catch {
    return undefined;
  }
}
