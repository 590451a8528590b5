import { addon as addonSchema } from "../../spec/addons/addons.ts";
import { chartPlace } from "../../spec/addons/chart-sources.ts";
import { parse } from "../../spec/wording.ts";
import type { FetchedSource } from "./contents.ts";

/**
 * The sources of a stack file's addons that are fetched from elsewhere. Files and directories go with the stack file.
 *
 * @throws naming each one without a digest, which would be fetched again at each use
 */
export function fetchedSources(config: Readonly<Record<string, unknown>>): FetchedSource[] {
  const typed = config["karmada:addons"];
  const found = (Array.isArray(typed) ? typed : []).map((entry) => sourceOf(entry));
  const without = found.flatMap((each) => (each !== undefined && "missing" in each ? [each.missing] : []));
  if (without.length > 0)
    throw new Error(
      `the charts of addons have to be the same where there is no connection: note source.sha256 of ${without.join(", ")}`,
    );
  return found.filter((each): each is FetchedSource => each !== undefined && "path" in each);
}

function sourceOf(entry: unknown): FetchedSource | { readonly missing: string } | undefined {
  const { value } = parse(addonSchema, entry, []);
  if (value === undefined) return undefined;
  const { name, source } = value;
  if (source.kind === "manifest") {
    const { url, sha256 } = source;
    return url === undefined || sha256 === undefined
      ? undefined
      : { addon: name, from: url, path: `manifests/${sha256}` };
  }
  const place = chartPlace(source);
  if (place !== "repository" && place !== "oci") return undefined;
  const { repository, oci, chart, version, sha256 } = source;
  if (sha256 === undefined) return { missing: name };
  const from = oci === undefined ? `${chart} ${version} of ${repository}` : `${oci} ${version}`;
  return { addon: name, from, path: `charts/${sha256}.tgz` };
}
