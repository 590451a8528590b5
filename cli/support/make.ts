import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pack } from "../../toolchain/archive/pack.ts";
import { stackFile } from "../stack/stack-file.ts";
import { requireStack } from "../stack/pulumi.ts";
import { collect } from "./collect.ts";
import { Parts } from "./parts.ts";
import { contents, type Made, report } from "./report.ts";
import { sourcesOf } from "./sources.ts";

/**
 * Gathers all that can be had of a stack, and packs it into an archive that only this user can read.
 *
 * @param since of how many seconds logs are wanted
 * @returns what is to be printed of it
 * @throws when there is neither such a stack nor a file of it, when the archive cannot be written, or when it is interrupted
 */
export async function makeBundle(
  root: string,
  file: string,
  made: Made,
  since: number,
  signal: AbortSignal,
): Promise<string> {
  // Otherwise its name is mistyped, and there would be nothing in it.
  if (!existsSync(stackFile(root, made.stack))) await requireStack(root, made.stack);
  const directory = await mkdtemp(join(tmpdir(), "karmada-support-"));
  const name = basename(file).replace(/\.(tar\.gz|tgz)$/, "");
  const parts = new Parts(join(directory, name));
  try {
    await collect(await sourcesOf({ root, stack: made.stack, since, parts, signal }), parts, signal);
    const { present, lacking } = parts;
    await parts.put("contents.txt", contents(made, present, lacking));
    await pack(directory, [name], file, signal, 0o600);
    return report(file, (await stat(file)).size, present, lacking);
  } finally {
    parts.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}
