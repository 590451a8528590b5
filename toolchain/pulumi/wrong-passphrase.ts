import { createDecipheriv, pbkdf2 } from "node:crypto";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { encryptedStackFiles, ownPassphrase, readIfThere } from "./backend.ts";
import { stackFileName } from "./stack-name.ts";

/**
 * Says which stack files the passphrase does not open that pulumi was given, where that came from, and where another one is
 * that does: of a variable of another project in the shell, pulumi says no more than that the passphrase is incorrect. Half a
 * second for each file, so it is asked once pulumi has failed.
 *
 * @param env what pulumi had
 * @param cwd where the stack files lie
 * @returns undefined where it opens them
 */
export async function wrongPassphrase(
  env: NodeJS.ProcessEnv,
  cwd: string,
  args: readonly string[],
): Promise<string | undefined> {
  const given = await givenPassphrase(env, cwd);
  if (given === undefined) return undefined;
  const stack = stackIn(args) ?? env["PULUMI_STACK"];
  const files = (await encryptedStackFiles(cwd)).filter((file) => !stack || file === stackFileName(stack));
  const texts = await Promise.all(files.map(async (file) => (await readIfThere(join(cwd, file))) ?? ""));
  const opened = await Promise.all(texts.map((text) => opens(given.passphrase, text)));
  // Which stack is selected is not known here: one that it opens may be it.
  if (files.length === 0 || opened.includes(true)) return undefined;
  const what = `${files.join(", ")}: encrypted with another passphrase than that of ${given.from}`;
  const own = await readIfThere(ownPassphrase);
  const fits = own !== undefined && (await Promise.all(texts.map((text) => opens(own.trim(), text)))).includes(true);
  return fits
    ? `${what}; take the one of this checkout: ${given.drop}export PULUMI_CONFIG_PASSPHRASE_FILE=${ownPassphrase}`
    : `${what}; put its own there`;
}

interface Given {
  readonly passphrase: string;
  readonly from: string;
  /** What has to go before a file is read instead. */
  readonly drop: string;
}

/** As pulumi chooses: https://github.com/pulumi/pulumi/blob/v3.259.0/pkg/secrets/passphrase/manager.go, readPassphrase. */
async function givenPassphrase(env: NodeJS.ProcessEnv, cwd: string): Promise<Given | undefined> {
  const { PULUMI_CONFIG_PASSPHRASE: passphrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = env;
  if (passphrase !== undefined)
    return { passphrase, from: "PULUMI_CONFIG_PASSPHRASE, which is set", drop: "unset PULUMI_CONFIG_PASSPHRASE; " };
  if (!file) return undefined;
  const text = await readIfThere(resolve(cwd, file));
  if (text === undefined) return undefined; // pulumi says it
  const from = resolve(cwd, file) === ownPassphrase ? file : `PULUMI_CONFIG_PASSPHRASE_FILE, which is set to ${file}`;
  return { passphrase: text.trim(), from, drop: "" };
}

function stackIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => ["--stack", "-s"].includes(arg));
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith("--stack="))?.slice("--stack=".length);
}

const derived = promisify(pbkdf2);

/**
 * Whether a passphrase is the one of a stack file. Its `encryptionsalt` is `v1:<salt>:v1:<nonce>:<a word, encrypted>`
 * (the same file, and pkg/resource/config/crypt.go). What is written otherwise is not judged.
 */
async function opens(passphrase: string, stackFile: string): Promise<boolean> {
  const [, salt, nonce, sealed] = /^encryptionsalt: *v1:([^:\s]+):v1:([^:\s]+):([^:\s]+)/m.exec(stackFile) ?? [];
  if (salt === undefined || nonce === undefined || sealed === undefined) return true;
  const [iv, bytes] = [nonce, sealed].map((each) => Buffer.from(each, "base64")) as [Buffer, Buffer];
  const key = await derived(passphrase, Buffer.from(salt, "base64"), 1_000_000, 32, "sha256");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv).setAuthTag(bytes.subarray(-16));
    decipher.update(bytes.subarray(0, -16));
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
