import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Progress } from "../progress.ts";
import { title, type ModulePart, type Program } from "../program.ts";
import { copyEntries } from "../store/copy.ts";
import { readBuildInfo } from "../verify/build-info.ts";
import { verifyExecutable } from "../verify/executable.ts";
import { go, requireGo } from "./go.ts";
import { each, type Order, type Source } from "./source.ts";

/** One folder per set with the go.mod and go.sum that name everything it is built from. */
const ownModules = join(import.meta.dirname, "..", "modules");

/** Builds programs, and takes files, from Go modules: needs only Go and a module proxy (or what Go has cached). */
export function moduleSource(modules: string = ownModules): Source {
  return {
    name: "module",
    offers: (_set, program) => program.module && `${program.module.module}@v${program.version}`,
    obtain: async (order) => {
      const directory = join(modules, order.set.name);
      await requireGo(directory, order.context);
      const building = buildAll(order, directory);
      // Files need no build: they neither wait for it nor fail with it.
      building.catch(() => undefined);
      return each(order, async (program) => {
        const part = program.module!;
        const made =
          part.kind === "build"
            ? await (
                await building
              )(program, part)
            : { directory: await takeDirectory(program, part, directory, order), verified: ["go.sum"] };
        return { ...made, address: `${part.module}@v${program.version}` };
      });
    },
  };
}

type BuildPart = Extract<ModulePart, { kind: "build" }>;
type DirectoryPart = Extract<ModulePart, { kind: "directory" }>;

/** One `go build` makes all executables of a set, much faster than one by one. */
async function buildAll(order: Order, directory: string) {
  const packages = order.programs.flatMap(({ module }) => (module?.kind === "build" ? [module.package] : []));
  const output = await order.context.scratch();
  if (packages.length > 0) await build(order, directory, packages, output);
  return async (program: Program, part: BuildPart) => {
    const own = await order.context.scratch();
    const executable = join(own, program.main);
    await rename(join(output, outputName(part.package)), executable);
    const verified = await verifyExecutable(program, order.platform, executable);
    return { directory: own, verified: [await verifyModule(program, part, executable), "go.sum", ...verified] };
  };
}

async function build(order: Order, directory: string, packages: readonly string[], output: string): Promise<void> {
  const { context, set } = order;
  const report = (progress: Omit<Progress, "subject">) => context.progress({ subject: set.name, ...progress });
  const tags = `-tags=${set.build?.tags?.join(",") ?? ""}`;
  const common = ["-mod=readonly", tags];

  report({ step: "read Go modules" });
  let fetched = 0;
  const listed = await go(["list", ...common, "-deps", "-f", "{{.ImportPath}}", ...packages], directory, order, {
    onErrorLine: (line) =>
      line.startsWith("go: downloading ") && report({ step: "fetch", done: ++fetched, unit: "Go modules" }),
  });
  const total = listed.split("\n").length - 1;

  // A set that waits for another one's build says nothing.
  report({ step: "", finished: "left" });
  await context.builds(async () => {
    let done = 0;
    report({ step: "build", done, total, unit: "packages" });
    const stamps = Object.entries(set.build?.stamps ?? {}).map(([name, value]) => `-X ${name}=${value}`);
    const flags = [...common, ...lean, "-buildvcs=false", "-trimpath", "-v"];
    const ldflags = ["-s -w", ...stamps].join(" ");
    await go(["build", ...flags, "-ldflags", ldflags, "-o", `${output}/`, ...packages], directory, order, {
      onErrorLine: (line) => !/[: ]/.test(line) && report({ step: "build", done: ++done, total, unit: "packages" }),
    });
  });
}

/** What debuggers read is not written by the linker (`-s -w`): that the compiler does not make it either saves a quarter of its time. */
const lean = ["-gcflags=all=-dwarf=false"];

/** The last element of the path, or the one before a major version, as `go build -o directory/` names it. */
const outputName = (path: string): string => basename(path.replace(/\/v\d+$/, ""));

async function verifyModule(program: Program, part: BuildPart, executable: string): Promise<string> {
  const info = await readBuildInfo(executable);
  const found = info && (info.module === part.module ? info.moduleVersion : info.dependencies[part.module]);
  if (found !== `v${program.version}`) {
    throw new Error(`${title(program)}: built from ${part.module} ${found ?? "(unknown)"}, want v${program.version}`);
  }
  return `module ${part.module}@${found}`;
}

async function takeDirectory(program: Program, part: DirectoryPart, directory: string, order: Order): Promise<string> {
  order.context.progress({ subject: title(program), step: "fetch Go module" });
  const answer = await go(["mod", "download", "-json", `${part.module}@v${program.version}`], directory, order);
  const { Dir: source } = JSON.parse(answer) as { Dir: string };
  const own = await order.context.scratch();
  await copyEntries(join(source, part.directory), join(own, program.main), program.entries ?? []);
  return own;
}
