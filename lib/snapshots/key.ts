import { createHmac } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { EncryptionSettings } from "../../spec/snapshots/encryption.ts";

/** A key to encrypt snapshots with. */
export interface EncryptionKey {
  readonly bytes: Buffer;
  /** Tells keys apart without revealing anything about them. */
  readonly keyId: string;
}

/**
 * Reads the key a deployment encrypts its snapshots with; undefined when it does not encrypt them.
 * @throws when there is none, when others may read the file, or when it is not 32 bytes as hexadecimal or base64
 */
export function encryptionKey(settings: EncryptionSettings): EncryptionKey | undefined {
  switch (settings.kind) {
    case "none":
      return undefined;
    case "key-file":
      return parsed(`encryption key ${settings.path}`, fromFile(settings.path));
    case "environment":
      return parsed(`encryption key in $${settings.variable}`, fromEnvironment(settings.variable));
  }
}

/** @throws when `key` does not have this ID, that of the key the `subject` is encrypted with */
export function keyFor(subject: string, keyId: string, key: EncryptionKey | undefined): EncryptionKey {
  if (key === undefined)
    throw new Error(`${subject}: it is encrypted with the key ${keyId}\nset snapshots.encryption to that key`);
  if (key.keyId === keyId) return key;
  throw new Error(`${subject}: it is encrypted with the key ${keyId}, the one given is ${key.keyId}`);
}

function fromFile(path: string): string {
  const subject = `encryption key ${path}`;
  let mode: number;
  let text: string;
  try {
    const { mode: bits, uid, gid } = statSync(path);
    // On a host it belongs to root, readable by our own group.
    const ours = uid === 0 && process.getuid?.() !== 0 && gid === process.getgid?.() ? 0o737 : 0o777;
    mode = bits & ours;
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new Error(`${subject}: ${reason}\nmake one: ${recipe(path)}`, { cause: error });
  }
  if ((mode & 0o077) !== 0) {
    throw new Error(`${subject}: its mode is 0${mode.toString(8)}, so others may read it\nrun: chmod 600 ${path}`);
  }
  return text;
}

function fromEnvironment(variable: string): string {
  const text = process.env[variable];
  if (text === undefined || text === "") throw new Error(`encryption key in $${variable}: the variable is not set`);
  return text;
}

/** Never repeats what it was given. */
function parsed(subject: string, text: string): EncryptionKey {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, "hex")
    : /^[\w+/-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, "base64")
      : undefined;
  if (bytes === undefined) {
    throw new Error(`${subject}: is not 32 bytes as base64 or hexadecimal\nmake one: ${recipe("<file>")}`);
  }
  return { bytes, keyId: createHmac("sha256", bytes).update("karmada-pulumi snapshot key").digest("hex").slice(0, 16) };
}

const recipe = (path: string) => `(umask 077 && openssl rand -base64 32 > ${path})`;
