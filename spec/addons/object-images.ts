import type { ManifestObject } from "./manifests.ts";

/**
 * The images of the pods that an object describes, itself or in a template, as they are pulled: for any kind, from all
 * lists of containers, and from image volumes.
 */
export function imagesIn(object: ManifestObject): string[] {
  return [...new Set([...found(object)].map(pulled))];
}

function* found(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    const items = (Array.isArray(each) ? each : []) as readonly unknown[];
    if (containers.has(key)) yield* items.map((item) => field(item, "image")).filter(isText);
    if (key === "volumes") yield* items.map((item) => field(field(item, "image"), "reference")).filter(isText);
    yield* found(each);
  }
}

const containers: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"]);

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** With what Kubernetes fills in: https://kubernetes.io/docs/concepts/containers/images/#image-names */
export function pulled(image: string): string {
  const [first, ...rest] = image.split("/") as [string, ...string[]];
  const isRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const named = isRegistry ? image : `docker.io/${rest.length > 0 ? image : `library/${image}`}`;
  return /[:@]/.test(named.slice(named.lastIndexOf("/"))) ? named : `${named}:latest`;
}
