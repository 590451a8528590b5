import { gte, coerce } from "semver";
import { run, type RunOptions } from "../run.ts";
import { Remediable, type Context, type Order } from "./source.ts";

/** The first Go that knows `tool` lines in go.mod. */
const oldestGo = "1.24.0";

/** A build of Kubernetes from nothing takes minutes; on a small machine without caches an hour is possible. */
const deadlineSeconds = 2 * 3600;

/** @throws when Go is missing or too old to build the sets */
export async function requireGo(directory: string, context: Context): Promise<void> {
  const remedy = `install Go ${coerce(oldestGo)?.major}.${coerce(oldestGo)?.minor} or later (https://go.dev/dl/)`;
  let found: { code: number; stdout: string; stderr: string };
  try {
    // The directory's go.mod may ask for a later toolchain, which Go fetches itself unless GOTOOLCHAIN forbids it.
    found = await run("go", ["env", "GOVERSION"], { cwd: directory, env: context.env, deadlineSeconds: 600 });
  } catch (error) {
    const { code } = (error as Error).cause as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw error;
    throw new Remediable("Go is not installed (no `go` on PATH)", remedy, { cause: error });
  }
  const version = /^go(\d\S*)/.exec(found.stdout)?.[1];
  const parsed = coerce(version);
  if (found.code === 0 && parsed && gte(parsed, oldestGo)) return;
  throw new Remediable(`Go is too old: ${version ? `found ${version}` : errorOf(found.stderr)}`, remedy);
}

/**
 * Runs a go command for the order's platform.
 * @returns its standard output
 * @throws with the end of its standard error
 */
export async function go(
  args: readonly string[],
  directory: string,
  { platform, context }: Order,
  options: Pick<RunOptions, "onErrorLine"> = {},
): Promise<string> {
  const [GOOS, GOARCH] = platform.split("/");
  const env = {
    GOGC: lessCollecting,
    ...context.env,
    GOOS,
    GOARCH,
    GOAMD64: "v1",
    CGO_ENABLED: "0",
    GOWORK: "off",
    ...(context.offline ? { GOPROXY: "off" } : {}),
  };
  const { code, stdout, stderr } = await run("go", args, {
    cwd: directory,
    env,
    deadlineSeconds,
    signal: context.signal,
    ...options,
  });
  if (code === 0) return stdout;
  const problem = errorOf(stderr);
  throw new Remediable(`go ${args[0]}: ${problem}`, remedyFor(problem, context.store));
}

/**
 * Compiler and linker collect garbage less often than by default (100), where the user has not said how often: a build of
 * etcd takes 46 s instead of 53 on two processors, for some more memory.
 */
const lessCollecting = "250";

function remedyFor(problem: string, store: string): string {
  if (/requires go >=/.test(problem)) return "install the Go version named above, or set GOTOOLCHAIN=auto";
  if (/dial tcp|no such host|i\/o timeout|proxy|GOPROXY/i.test(problem)) {
    return "make a Go module proxy reachable (GOPROXY), or run without --offline once";
  }
  if (/SECURITY ERROR|checksum mismatch/.test(problem)) {
    return "use another Go module proxy (GOPROXY): this one's bytes are not those the pinned list was made with";
  }
  if (/no space left|file too large|quota exceeded/i.test(problem)) {
    return problem.includes(store)
      ? `free disk space below ${store}, or name another place with KARMADA_TOOLCHAIN_DIR`
      : "free disk space (GOCACHE, GOTMPDIR and GOMODCACHE say where Go writes)";
  }
  return "run the same command in toolchain/modules/ to see all of its output";
}

/** The lines of a go command's output that are not about progress, the last few. */
const errorOf = (stderr: string): string =>
  stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(go: (downloading|finding) |[\w.\-/]+$)/.test(line))
    .slice(-10)
    .join(" | ")
    .slice(-800);
