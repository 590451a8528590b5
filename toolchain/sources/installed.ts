import { access, constants } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { hostPlatform } from "../platform.ts";
import { title, type Program } from "../program.ts";
import { copyExecutable } from "../store/copy.ts";
import { verifyExecutable } from "../verify/executable.ts";
import { each, type Context, type Source } from "./source.ts";

/**
 * Programs already on PATH, when they print exactly the wanted version. They are copied into the store: an upgrade of
 * the machine's own program must not change a deployment.
 */
export function installedSource(): Source {
  return {
    name: "installed",
    offers: (_set, program, platform) =>
      program.kind === "executable" && platform === hostPlatform() ? `${program.main} on PATH` : undefined,
    obtain: (order) =>
      each(order, async (program) => {
        const { context, platform } = order;
        const address = await onPath(program.main, context.env);
        if (!address) throw new Error(`no ${program.main} on PATH`);
        context.progress({ subject: title(program), step: `check ${address}` });
        const verified = await verifyExecutable(program, platform, address);
        return { directory: await take(program, address, context), address, verified };
      }),
  };
}

async function take(program: Program, address: string, context: Context): Promise<string> {
  const directory = await context.scratch();
  await copyExecutable(address, join(directory, program.main));
  for (const companion of program.release?.companions ?? []) {
    const path = join(dirname(address), companion);
    if (await isExecutable(path)) await copyExecutable(path, join(directory, companion));
  }
  return directory;
}

async function onPath(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const directory of (env.PATH ?? "").split(delimiter)) {
    const path = join(directory, command);
    if (directory !== "" && (await isExecutable(path))) return path;
  }
  return undefined;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
