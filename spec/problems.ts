/** One thing that is wrong with a stack's configuration. */
export interface Problem {
  /** Where, as the operator typed it. */
  readonly path: readonly (string | number)[];
  /** What was found and what is allowed. */
  readonly message: string;
}

/** Everything that is wrong with a stack's configuration, one line each, beginning with the path. */
export class SpecError extends Error {
  readonly problems: readonly Problem[];

  constructor(stack: string, problems: readonly Problem[]) {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    super(`stack ${stack}: ${count} in its configuration, nothing was changed\n${problems.map(line).join("\n")}`);
    this.name = "SpecError";
    this.problems = problems;
  }
}

const line = ({ path, message }: Problem) => `  ${pathText(path)}: ${message}`;

/** A path as the operator typed it: `members[1].syncMode`, `controlPlane.karmada-search.extraArgs["a.b"]`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      if (i === 0) return part;
      return /^[-\w]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join("");
}
