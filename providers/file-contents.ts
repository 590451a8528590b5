import { sha256 } from "../lib/sha256.ts";
import { unknownValue } from "../toolchain/pulumi/unknown-value.ts";
import type { implement } from "./implementation.ts";

/**
 * Contents by their digest, as the checks of this run have seen them. The engine checks every resource in the process
 * that later creates or updates it, so what is recorded, and kept in the state, can be the digest alone.
 */
const contents = new Map<string, string>();

/**
 * A provider whose `contents` come in and are passed on as digests in `files`: into the state, and into previews, which
 * can thus name the file that changes without showing a key.
 *
 * @param derive what follows from the other inputs once contents have become digests
 */
export function withDigests<P extends ReturnType<typeof implement>>(
  implemented: P,
  derive: (inputs: Record<string, unknown>) => object = () => ({}),
): P {
  return {
    ...implemented,
    check(olds: unknown, { contents, ...news }: Record<string, unknown>) {
      const inputs = { ...news, files: digests(contents, news["files"]) };
      return implemented.check(olds, { ...inputs, ...derive(inputs) });
    },
  };
}

/**
 * The digest of each content in a record; unknown ones in a preview are left as they are. Existing digests (a test, an
 * older state) may be passed in as `files`.
 */
function digests(contents: unknown, files: unknown): unknown {
  if (typeof contents !== "object" || contents === null) return contents ?? files ?? {};
  return Object.fromEntries(
    Object.entries(contents).map(([key, content]) => [key, content === unknownValue ? content : remember(content)]),
  );
}

/**
 * The content with a digest.
 *
 * @param what what has it, for the message: `etcd-0: pki/ca.crt`
 * @throws when it was not checked in this run
 */
export function contentOf(digest: string, what: string): string {
  const content = contents.get(digest);
  if (content !== undefined) return content;
  throw new Error(`${what}: its content was not checked in this run\nrun \`pulumi up\` again without targets`);
}

/** Remembers a content for `contentOf` and gives its digest. */
export function remember(content: string): string {
  const digest = sha256(content);
  contents.set(digest, content);
  return digest;
}
