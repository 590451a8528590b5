import { z } from "zod";
import type { Context } from "../context.ts";
import { text, words } from "../field.ts";
import { absolutePath } from "../values/path.ts";

const none = z.strictObject({ kind: z.literal("none").describe("Snapshots are stored as etcd writes them.") });

const keyFile = z.strictObject({
  kind: z
    .literal("key-file")
    .describe("AES-256-GCM before they leave this machine, with a key in a file that nobody else may read."),
  path: words("a path").describe(
    "The file: 32 bytes as base64 or hexadecimal, such as `openssl rand -base64 32` prints. Relative to the stack file.",
  ),
});

const environment = z.strictObject({
  kind: z.literal("environment").describe("The same, with the key in an environment variable."),
  variable: text(/^[A-Za-z_]\w*$/, 'the name of a variable such as "SNAPSHOT_KEY"').describe("Its name."),
});

/** Where the key is. The key itself is never in the state, nor in the stack file. */
export const encryption = z
  .discriminatedUnion("kind", [none, keyFile, environment])
  .describe("Encryption by us; what was encrypted can only be restored with the same key.");

export type EncryptionSettings = z.output<typeof encryption>;

/** Makes the path absolute. */
export const resolveEncryption = (settings: EncryptionSettings, context: Context): EncryptionSettings =>
  settings.kind === "key-file" ? { ...settings, path: absolutePath(settings.path, context) } : settings;
