import { parseAllDocuments } from "yaml";
import { kubernetesYaml } from "../../toolchain/kubernetes-yaml.ts";
import { yamlProblem } from "../../toolchain/yaml-problem.ts";

/** A Kubernetes object as in a manifest. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A text and its name in messages. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** Whether a file of a directory of manifests is one, by its name. */
export const isManifest = (file: string): boolean => /\.(ya?ml|json)$/.test(file);

/** An object, and where it was found: `rules.yaml, document 2`. */
export interface FoundObject {
  readonly object: ManifestObject;
  readonly place: string;
}

/**
 * The objects of a text in order, lists expanded, and everything that is wrong with it.
 * @param isLeftOut what is none of them, right or wrong
 */
export function readManifests(
  { file, text }: ManifestText,
  isLeftOut: (value: Fields) => boolean = () => false,
): { objects: FoundObject[]; problems: string[] } {
  const objects: FoundObject[] = [];
  const problems: string[] = [];
  documentsOf(text).forEach((document, i) => {
    const place = `${file}, document ${i + 1}`;
    const { value, error } = document;
    if (error !== undefined) problems.push(`${place}: does not parse: ${error}`);
    else
      for (const each of listed(value)) {
        if (isFields(each) && isLeftOut(each)) continue;
        const problem = problemOf(each);
        if (problem === undefined) objects.push({ object: declared(each as ManifestObject), place });
        else problems.push(`${place}: ${problem}`);
      }
  });
  return { objects, problems };
}

type Fields = Readonly<Record<string, unknown>>;

function documentsOf(text: string): { value?: unknown; error?: string }[] {
  const documents = parseAllDocuments(text, kubernetesYaml);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) return { error: yamlProblem(error) };
    try {
      return { value: document.toJS() as unknown };
    } catch (failure) {
      return { error: (failure as Error).message };
    }
  });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The items of a list, and nothing of a document that is empty. */
function listed(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const isList = isFields(value) && typeof value["kind"] === "string" && value["kind"].endsWith("List");
  return isList && Array.isArray(value["items"]) ? (value["items"] as unknown[]) : [value];
}

function problemOf(value: unknown): string | undefined {
  if (!isFields(value)) return "got no mapping, want a Kubernetes object";
  const { apiVersion, kind, metadata } = value;
  if (!isText(kind)) return 'missing kind, want one such as "ConfigMap"';
  if (!isText(apiVersion)) return `missing apiVersion of a ${kind}, want one such as "v1"`;
  if (!isFields(metadata) || !isText(metadata["name"])) return `missing metadata.name of a ${kind}`;
  for (const field of ["labels", "annotations"]) {
    const texts = metadata[field] ?? {};
    const wrong = isFields(texts) ? Object.keys(texts).find((key) => typeof texts[key] !== "string") : field;
    if (wrong !== undefined)
      return `metadata.${field} of ${kind} ${metadata["name"]}: "${wrong}" is no text, put it in quotes`;
  }
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Without what only a server sets. */
function declared({ status: _, ...object }: ManifestObject): ManifestObject {
  const { creationTimestamp: _created, ...metadata } = object.metadata;
  return { ...object, metadata } as ManifestObject;
}
