import { join } from "node:path";
import { execa } from "execa";

/** Helm ended with an error; the message is in helm's own words. */
export class HelmFailed extends Error {}

/** The helm program, with its own cache and configuration in a directory of the caller, apart from the user's. */
export class Helm {
  readonly #path: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(path: string, directory: string) {
    this.#path = path;
    this.#env = environment(directory);
  }

  /**
   * Runs it to completion. @param input what it reads from standard input @returns what it printed
   * @throws HelmFailed, also when it is not done in time
   */
  async run(args: readonly string[], input = ""): Promise<string> {
    const { stdout, stderr, exitCode, timedOut, originalMessage } = await execa(this.#path, args, {
      env: this.#env,
      extendEnv: false,
      input,
      reject: false,
      timeout: deadlineSeconds * 1000,
      forceKillAfterDelay: 3000,
      maxBuffer: 256 * 2 ** 20,
    });
    if (timedOut) throw new HelmFailed(`not done within ${deadlineSeconds}s`);
    if (exitCode !== 0) throw new HelmFailed(wordsOf(stderr) || originalMessage || `exit code ${exitCode}`);
    return stdout;
  }
}

const deadlineSeconds = 60;

/** The environment of this process without helm's settings, except the user's registry logins; no cluster is asked. */
function environment(directory: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("HELM_") || logins.has(name));
  return {
    ...Object.fromEntries(others),
    KUBECONFIG: join(directory, "no-kubeconfig"),
    HELM_CACHE_HOME: join(directory, "cache"),
    HELM_DATA_HOME: join(directory, "data"),
    HELM_PLUGINS: join(directory, "plugins"),
    HELM_REPOSITORY_CONFIG: join(directory, "repositories.yaml"),
    HELM_REPOSITORY_CACHE: join(directory, "repository"),
  };
}

const logins: ReadonlySet<string> = new Set(["HELM_CONFIG_HOME", "HELM_REGISTRY_CONFIG"]);

/** Its error in one line, without its other log output. */
function wordsOf(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(level=|time=|WARNING:|walk\.go)/.test(line));
  const start = lines.findLastIndex((line) => line.startsWith("Error: "));
  return lines
    .slice(Math.max(start, 0))
    .filter((line) => !line.startsWith("Use --debug flag"))
    .map((line) => line.trim())
    .join(" ")
    .replace(/^Error: /, "");
}
