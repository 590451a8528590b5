import { hasSecret, hasUnknown, isList, isMap, reveal, Secret, secret, UNKNOWN } from "../../server/index.ts";
import type { ConstructRequest, Properties, ResourceReference, Value } from "../../server/index.ts";
import { setAnnotation, SKIP_AWAIT } from "../annotations.ts";
import { markSecrets } from "../checkpoint.ts";
import { groupVersionOf, gvkOfObject } from "../gvk.ts";
import { at, idOf, isObject, setAt, toProperties } from "../object.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";
import { loadManifests } from "./manifests.ts";
import { manifestObjects, sealed, setNamespaces, unknownScopeWarning } from "./objects.ts";
import { inOrder } from "./order.ts";

/** `yaml.v2.ConfigGroup`: the objects in files (or URLs, or patterns), a text and `objs`. */
export function configGroup(session: Session, request: ConstructRequest): Promise<Properties> {
  const { files, yaml, objs } = request.inputs;
  const source = { files: texts(files), text: text(yaml) ?? "", globs: true, objects: objs };
  return registerManifests(session, request, source);
}

/** `yaml.v2.ConfigFile`: the objects in a file or at a URL. */
export function configFile(session: Session, request: ConstructRequest): Promise<Properties> {
  const source = { files: texts(request.inputs["file"]), text: "", globs: false, objects: undefined };
  return registerManifests(session, request, source);
}

interface Source {
  readonly files: readonly string[];
  readonly text: string;
  readonly globs: boolean;
  /** Objects given as values. */
  readonly objects: Value;
}

/** Secrets among the inputs stay secret in the objects; of a secret file or text every value is. */
async function registerManifests(session: Session, request: ConstructRequest, source: Source): Promise<Properties> {
  void session.cluster; // says that it cannot be reached
  const { type, name, inputs, log, signal, register } = request;
  if (hasUnknown(inputs)) {
    log("warning", `${type}:${name} -- Required input properties have unknown values. Preview is incomplete.\n`);
    return { resources: UNKNOWN };
  }
  const loaded = await loadManifests(source.files, source.text, { globs: source.globs, signal });
  const isSecret = hasSecret([inputs["file"], inputs["files"], inputs["yaml"]]);
  const objects = manifestObjects([...(isSecret ? loaded.map(sealed) : loaded), ...objectsOf(source.objects)]);
  const unknown = await setNamespaces(session, objects);
  if (unknown.length > 0) log("warning", unknownScopeWarning(unknown));

  const given = new Map(objects.map((each) => [each.plain, each.given]));
  const made = new Map<KubeObject, Promise<ResourceReference>>();
  for (const { object, dependsOn } of inOrder(objects.map(({ plain }) => plain))) {
    const before = dependsOn.map((each) => made.get(each)!);
    if (reveal(inputs["skipAwait"]) === true) skipAwait(object);
    const child = { type: typeOf(object), name: resourceName(object, text(inputs["resourcePrefix"]) ?? name) };
    const values = toProperties(object);
    markSecrets(values, given.get(object)!);
    const registered = Promise.all(before).then((references) =>
      register({ ...child, inputs: values, dependsOn: references.map(({ urn }) => urn) }),
    );
    made.set(object, registered);
  }
  const resources = await settled([...made.values()]);
  return { resources: hasSecret(inputs) ? secret(resources) : resources };
}

/** All of them, or the first error when none is under way any more. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function skipAwait(object: KubeObject): void {
  if (!isObject(at(object, "metadata", "annotations"))) setAt(object, {}, "metadata", "annotations");
  setAnnotation(object, SKIP_AWAIT, "true");
}

function typeOf(object: KubeObject): string {
  const gvk = gvkOfObject(object);
  return `kubernetes:${gvk.group ? groupVersionOf(gvk) : `core/${gvk.version}`}:${gvk.kind}`;
}

function resourceName(object: KubeObject, prefix: string): string {
  return prefix ? `${prefix}:${idOf(object)}` : idOf(object);
}

/** The objects with their secrets; of one that is secret as a whole every value is. */
function objectsOf(value: Value): Properties[] {
  if (value instanceof Secret) return objectsOf(value.value).map(sealed);
  if (isMap(value)) return [value];
  return isList(value) ? value.flatMap(objectsOf) : [];
}

function text(value: Value): string | undefined {
  const plain = reveal(value);
  return typeof plain === "string" ? plain : undefined;
}

/** One text or a list of them. */
function texts(value: Value): string[] {
  const plain = reveal(value);
  if (typeof plain === "string") return [plain];
  return Array.isArray(plain) ? plain.filter((each) => typeof each === "string") : [];
}
