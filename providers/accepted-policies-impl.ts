import { isDeepStrictEqual } from "node:util";
import { connect, type KubeClient } from "../lib/kube/client.ts";
import { KubeError } from "../lib/kube/error.ts";
import { objectTitle } from "../lib/kube/object-title.ts";
import type { AcceptedPoliciesInputs, DeclaredObject } from "./accepted-policies.ts";
import type { Before, Problem } from "./implementation.ts";
import { refusing } from "./refusing.ts";

export const provider = refusing<AcceptedPoliciesInputs>(
  "policies",
  { objects: "update", karmadaKubeconfig: "ignore" },
  refusals,
);

async function refusals(
  { objects = [], karmadaKubeconfig }: Partial<AcceptedPoliciesInputs>,
  { inputs: then }: Before<AcceptedPoliciesInputs>,
): Promise<Problem[]> {
  const known = then?.objects ?? [];
  const others = objects.filter((object) => !known.some((each) => isDeepStrictEqual(each, object)));
  if (karmadaKubeconfig === undefined || others.length === 0) return [];
  const plane = await connect(karmadaKubeconfig);
  const found = await Promise.all(others.map((object) => refusal(plane, object)));
  return found.flatMap((reason) => (reason === undefined ? [] : [{ property: "objects", reason }]));
}

/** What the API objects to; undefined if it does not answer, or if something is missing that is still to be created. */
async function refusal(plane: KubeClient, object: DeclaredObject): Promise<string | undefined> {
  const { kind, metadata } = object;
  const collection = collectionOf(object);
  const path = `${collection}/${metadata.name}`;
  const call = { query: { dryRun: "All" }, timeout: 5000 };
  try {
    const live = await plane.find(path, { timeout: 5000 });
    if (live === undefined) await plane.create(collection, object, call);
    else await plane.replace(path, { ...object, metadata: { ...live.metadata, ...metadata } }, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError) || !isRefusal(error)) return undefined;
    return `${objectTitle({ kind, ...metadata })}: ${error.message.replace(/^[A-Z]+ \S+: \d+ /, "")}`;
  }
}

/** A webhook refuses with "forbidden", as a lack of rights does. */
const isRefusal = ({ status, message }: KubeError): boolean =>
  status === 422 ||
  (status === 400 && !message.includes("does not support dry run")) ||
  (status === 403 && message.includes("denied the request"));

function collectionOf({ apiVersion, kind, metadata: { namespace } }: DeclaredObject): string {
  const plural = kind.toLowerCase().replace(/y$/, "ie") + "s";
  return `/apis/${apiVersion}/${namespace === undefined ? "" : `namespaces/${namespace}/`}${plural}`;
}
