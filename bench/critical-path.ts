/** A resource in `pulumi stack export`, as far as it is needed here. */
export interface ExportedResource {
  readonly urn: string;
  /** When it was made, RFC 3339; absent for what is only declared (components, the stack). */
  readonly created?: string;
  readonly parent?: string;
  /** Reference `urn::id` to the provider resource. */
  readonly provider?: string;
  readonly dependencies?: readonly string[];
}

/** A resource that everything after it had to wait for. */
export interface PathStep {
  /** Last part of the URN. */
  readonly name: string;
  /** Seconds from the start until it was made, and the part of them since the last of what it waited for. */
  readonly at: number;
  readonly took: number;
}

/**
 * The chain of resources that made a fresh `up` take as long as it did: from what was made last, back to the last-made
 * of what each waited for. `started` is the time of the start, in milliseconds.
 */
export function criticalPath(resources: readonly ExportedResource[], started: number): PathStep[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const path: PathStep[] = [];
  for (let step = lastMade(resources); step !== undefined;) {
    const before = lastMade(waitedFor(step, byUrn));
    const at = madeAt(step) - started;
    const since = before === undefined ? 0 : madeAt(before) - started;
    path.unshift({ name: step.urn.split("::").at(-1)!, at: at / 1000, took: (at - since) / 1000 });
    step = before;
  }
  return path;
}

/** The path as lines to print. */
export function inLines(path: readonly PathStep[]): string {
  return path.map(({ name, at, took }) => `${at.toFixed(2).padStart(7)} s  +${took.toFixed(2)} s  ${name}`).join("\n");
}

function waitedFor(resource: ExportedResource, byUrn: ReadonlyMap<string, ExportedResource>): ExportedResource[] {
  const provider = resource.provider?.split("::").slice(0, -1).join("::");
  const urns = [...(resource.dependencies ?? []), resource.parent ?? "", provider ?? ""];
  return urns.flatMap((urn) => byUrn.get(urn) ?? []);
}

function lastMade(resources: readonly ExportedResource[]): ExportedResource | undefined {
  return resources
    .filter(({ created }) => created !== undefined)
    .reduce<ExportedResource | undefined>(
      (last, next) => (last === undefined || madeAt(next) > madeAt(last) ? next : last),
      undefined,
    );
}

const madeAt = ({ created }: ExportedResource): number => Date.parse(created ?? "");
