import { z } from "zod";
import { type FoundObject, isManifest, type ManifestObject, readManifests } from "./addons/manifests.ts";
import { identityOf, isNamespaced } from "./addons/object-scope.ts";
import type { Context } from "./context.ts";
import { checkKubeconfigAt, type ReadKubeconfig, readKubeconfig } from "./credentials.ts";
import { words } from "./field.ts";
import { credentials, label } from "./placement/kubernetes.ts";
import { type Problem, SpecError } from "./problems.ts";
import { program } from "./program.ts";
import { parseSections } from "./sections.ts";

const adopted = z
  .strictObject({
    credentials: credentials.describe("How the host cluster is reached, by who may change what is in the namespace."),
    namespace: label.default("karmada-system").describe("Namespace of the Karmada that is taken over."),
    manifests: words("the path of a directory").describe(
      "Directory of its objects, as `npm run adopt -- --in-place` writes it; relative to the stack file. One with a `metadata.uid` is taken over, one without is made; none is ever deleted.",
    ),
  })
  .describe("Program `adopted`: a Karmada that something else has built, and that goes on where it is.");

/** Every key of the stack file of an `adopted` stack. */
export const adoptedSections = { program, adopted };

/** An object of a Karmada that is taken over. */
export interface AdoptedObject {
  readonly object: ManifestObject;
  /** File and document, as errors name it. */
  readonly place: string;
  /** Whether it already exists, made by something else. */
  readonly isTaken: boolean;
}

/** A Karmada that something else has built, every default filled in. */
export interface AdoptedProgram<Secret = string> {
  readonly credentials: Omit<ReadKubeconfig, "kubeconfig"> & { readonly kubeconfig: Secret };
  readonly namespace: string;
  readonly objects: readonly AdoptedObject[];
}

/**
 * Fills in the defaults and checks all of it. The directory and its files are in the context.
 * @throws SpecError with every problem at once
 */
export function resolveAdoptedProgram(config: unknown, context: Context): AdoptedProgram {
  const { parsed, problems } = parseSections(adoptedSections, config);
  const typed = parsed.adopted;
  if (typed === undefined) throw new SpecError(context.stack, problems);
  const found = manifestsIn(typed.manifests, context);
  const all = [
    ...problems,
    ...checkKubeconfigAt(["adopted", "credentials"], typed.credentials, context),
    ...[...found.problems, ...checkObjects(found.objects, typed.namespace)].map((message) => ({
      path: ["adopted", "manifests"],
      message,
    })),
  ];
  if (all.length > 0) throw new SpecError(context.stack, all);
  return {
    credentials: readKubeconfig(typed.credentials, context),
    namespace: typed.namespace,
    objects: found.objects.map(({ object, place }) => ({
      object: withoutUid(object),
      place,
      isTaken: uidOf(object) !== undefined,
    })),
  };
}

function manifestsIn(directory: string, { directories = {}, files = {} }: Context) {
  const listed = directories[directory] ?? { error: `got "${directory}", which was not read` };
  if ("error" in listed) return { objects: [], problems: [listed.error] };
  const read = listed.files.filter(isManifest).map((name) => {
    const file = `${directory}/${name}`;
    const content = files[file] ?? { error: `got "${file}", which was not read` };
    return "error" in content ? { objects: [], problems: [content.error] } : readManifests({ file, ...content });
  });
  const objects = read.flatMap((each) => each.objects);
  const problems = read.flatMap((each) => each.problems);
  return objects.length > 0 || problems.length > 0
    ? { objects, problems }
    : { objects, problems: [`got "${directory}", in which there is no manifest`] };
}

function checkObjects(found: readonly FoundObject[], namespace: string): Problem["message"][] {
  const identities = found.map(({ object }) => identityOf(object));
  return found.flatMap(({ object, place }, i) => {
    const { namespace: own } = object.metadata;
    const what = `${place}: ${object.kind} ${object.metadata.name}`;
    const said = own === undefined ? "no namespace" : `namespace "${own}"`;
    return [
      ...(own !== namespace && (own !== undefined || isNamespaced(object, new Map()) !== false)
        ? [`${what}: got ${said}, want "${namespace}", that of the Karmada`]
        : []),
      ...(identities.indexOf(identityOf(object)) < i ? [`${what}: is there a second time`] : []),
      ...(object.kind === "Secret" && uidOf(object) !== undefined && ("data" in object || "stringData" in object)
        ? [
            `${what}: has data, which would not be set: those of a Secret that is taken over stay as they are; change them with kubectl`,
          ]
        : []),
    ];
  });
}

const uidOf = ({ metadata }: ManifestObject): unknown => metadata["uid"];

function withoutUid({ metadata: { uid: _, ...metadata }, ...object }: ManifestObject): ManifestObject {
  return { ...object, metadata } as ManifestObject;
}
