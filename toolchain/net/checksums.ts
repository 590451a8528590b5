import { parseJson } from "./http.ts";

/** An asset in GitHub's description of a release. https://docs.github.com/en/rest/releases/releases */
interface GitHubRelease {
  readonly assets?: readonly { readonly name: string; readonly digest?: string | null }[];
}

/**
 * The SHA-256 a publisher's checksum file gives for a file: the file holds one checksum only, lines of checksum and
 * name as sha256sum writes them, or GitHub's description of a release.
 * @param address where the text is from, for an error
 */
export function publishedSha256(text: string, file: string, address: string): string | undefined {
  if (text.trimStart().startsWith("{")) {
    const { assets = [] } = parseJson<GitHubRelease>(text, address);
    return /^sha256:([0-9a-f]{64})$/.exec(assets.find(({ name }) => name === file)?.digest ?? "")?.[1];
  }
  const lines = text.split("\n").map((line) => /^([0-9a-fA-F]{64})(?:\s+\*?(\S+))?\s*$/.exec(line));
  const found = lines.filter((line) => line !== null);
  const only = found.length === 1 && found[0]?.[2] === undefined ? found[0] : undefined;
  // A name may be written with the path it had where it was made.
  const named = found.find((line) => line[2]?.split("/").at(-1) === file);
  return (named ?? only)?.[1]?.toLowerCase();
}
