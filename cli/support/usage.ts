import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { duration } from "../../spec/values/units.ts";
import { parse } from "../../spec/wording.ts";

/** What of the options of `npm run support` cannot be meant so, and what can. */
export function wrongUsage({ output, since }: Readonly<Record<string, string>>): string | undefined {
  return (
    (output === undefined ? undefined : outputProblem(output)) ??
    (since === undefined ? undefined : sinceProblem(since))
  );
}

function outputProblem(output: string): string | undefined {
  if (!/\.(tar\.gz|tgz)$/.test(output))
    return `--output: got "${output}", want a name that ends in .tar.gz or .tgz: it is compressed`;
  const directory = dirname(resolve(output));
  return existsSync(directory) ? undefined : `--output: got "${output}", but there is no directory ${directory}`;
}

function sinceProblem(since: string): string | undefined {
  const { problems } = parse(duration, since, []);
  return problems[0] && `--since: ${problems[0].message}`;
}
