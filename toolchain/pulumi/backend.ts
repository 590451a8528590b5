import { randomBytes } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import { checkout, userHome } from "./checkout.ts";

/** The passphrase of the checkout's own backend. */
export const ownPassphrase = join(checkout, ".pulumi", "passphrase");

/** The default backend, a directory of the checkout, for users who have not chosen one. */
export async function backendEnvironment(
  env: NodeJS.ProcessEnv,
  cwd: string,
  args: readonly string[],
): Promise<Record<string, string>> {
  if (await hasBackend(env, cwd, args)) return {};
  const directory = join(checkout, ".pulumi", "backend");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const backend = { PULUMI_BACKEND_URL: await localBackend(directory) };
  const { PULUMI_CONFIG_PASSPHRASE: phrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = env;
  if (phrase !== undefined || file !== undefined) return backend;
  const own = await passphraseFile(ownPassphrase, cwd);
  return { ...backend, PULUMI_CONFIG_PASSPHRASE_FILE: own };
}

/**
 * Of the URL of a directory: no second file with a digest beside each that is written, which nothing of pulumi reads. A
 * seventh of its processor time goes there, as it writes the state out at each change
 * (https://pkg.go.dev/gocloud.dev/blob/fileblob#URLOpener).
 */
export const leanFiles = "metadata=skip";

/** The URL of a directory as a backend; one that was begun with digests keeps its own, by which pulumi knows the selected stack. */
export async function localBackend(directory: string): Promise<string> {
  const url = pathToFileURL(directory).href;
  const digest = await readIfThere(join(directory, ".pulumi", "meta.yaml.attrs"));
  return digest === undefined ? `${url}?${leanFiles}` : url;
}

/** Where a backend lies; undefined when it is no local directory. */
export function directoryOfBackend(url: string | undefined): string | undefined {
  return url?.startsWith("file:///") ? fileURLToPath(new URL(url.split("?")[0]!)) : undefined;
}

async function hasBackend(env: NodeJS.ProcessEnv, cwd: string, args: readonly string[]): Promise<boolean> {
  if (env["PULUMI_BACKEND_URL"] !== undefined || env["PULUMI_ACCESS_TOKEN"] !== undefined) return true;
  if (args[0] === "login" || args[0] === "logout") return true; // about to be chosen, or dropped
  return (await currentLogin(env)) || projectBackend(cwd);
}

async function currentLogin(env: NodeJS.ProcessEnv): Promise<boolean> {
  const text = await readIfThere(join(env["PULUMI_CREDENTIALS_PATH"] || userHome(env), "credentials.json"));
  if (text === undefined) return false;
  try {
    return Boolean((JSON.parse(text) as { current?: string }).current);
  } catch {
    return true; // pulumi says better what is wrong with it
  }
}

async function projectBackend(cwd: string): Promise<boolean> {
  const text = await readIfThere(join(cwd, "Pulumi.yaml"));
  if (text === undefined) return false;
  try {
    return Boolean((parse(text) as { backend?: { url?: string } } | null)?.backend?.url);
  } catch {
    return true;
  }
}

/**
 * Made once: secrets in the backend's state are encrypted with what is in it. For stack files encrypted elsewhere, as
 * in another clone, pulumi would only say that the passphrase is incorrect, which does not help the operator.
 *
 * @param project where the stack files lie
 */
export async function passphraseFile(path: string, project: string): Promise<string> {
  if ((await readIfThere(path)) !== undefined) return path;
  const made = `${path}.${process.pid}`;
  await writeFile(made, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  try {
    await link(made, path); // fails when another run was first, whose passphrase then counts
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(made);
  }
  const elsewhere = await encryptedStackFiles(project);
  if (elsewhere.length > 0)
    console.error(
      `pulumi: made a passphrase, ${path}; ${elsewhere.join(", ")}: encrypted with another one, put that there, or name its file with PULUMI_CONFIG_PASSPHRASE_FILE`,
    );
  return path;
}

/** Names of the stack files whose secrets are encrypted with a passphrase. */
export async function encryptedStackFiles(project: string): Promise<string[]> {
  const names = (await readdir(project)).filter((name) => /^Pulumi\..+\.yaml$/.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readIfThere(join(project, name))));
  return names.filter((_, i) => /^encryptionsalt:/m.test(texts[i] ?? ""));
}

/** The text of a file; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
