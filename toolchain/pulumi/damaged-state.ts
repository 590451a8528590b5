import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { directoryOfBackend, readIfThere } from "./backend.ts";

/**
 * Says which state of a local backend is not whole, as after a machine lost power, and what to put in its place: pulumi says
 * `unexpected end of JSON input` without the file, and says it of every stack, since it lists them all. Reads them all, so it
 * is asked once pulumi has failed.
 *
 * @param env what pulumi had
 * @returns undefined where all are whole
 */
export async function damagedState(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const directory = directoryOfBackend(env["PULUMI_BACKEND_URL"]);
  if (directory === undefined) return undefined;
  const stacks = join(directory, ".pulumi", "stacks");
  const names = (await readdir(stacks, { recursive: true }).catch(() => [])).filter((name) => name.endsWith(".json"));
  const said = await Promise.all(names.sort().map((name) => damageTo(join(stacks, name))));
  return said.filter((each) => each !== undefined).join("\n") || undefined;
}

async function damageTo(path: string): Promise<string | undefined> {
  const text = await readIfThere(path).catch(() => undefined); // one that cannot be read pulumi names itself
  if (text === undefined || isWhole(text)) return undefined;
  const stack = basename(path, ".json");
  const former = `${path}.bak`;
  const remedy = isWhole((await readIfThere(former).catch(() => undefined)) ?? "")
    ? `put back what it was before it was last written, cp '${former}' '${path}', and run npm run pulumi -- up --refresh --stack ${stack}`
    : `put it back from a backup; docs/recovery.md says what to do without one`;
  return `${path}: the state of stack ${stack} is damaged (${Buffer.byteLength(text)} bytes, which are no JSON); ${remedy}`;
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
