import type { Platform } from "../program.ts";
import type { Context } from "../sources/source.ts";
import { parseJson, type TextAnswer } from "./http.ts";
import { sha256 } from "../sha256.ts";

/** A blob of an image. https://github.com/opencontainers/image-spec/blob/main/descriptor.md */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and hex. */
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
}

/** An image for one platform: where its layers are, lowest first, and how to ask for them. */
export interface ResolvedImage {
  /** Digest of what the tag names. */
  readonly digest: string;
  readonly layers: readonly Descriptor[];
  readonly blobAddress: (layer: Descriptor) => string;
  readonly headers: Readonly<Record<string, string>>;
}

const accept = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/**
 * Asks a registry for an image. https://github.com/opencontainers/distribution-spec/blob/main/spec.md
 * A registry on a loopback address is asked without TLS, as container runtimes do.
 * @throws when it has no such image for the platform
 */
export async function resolveImage(reference: string, platform: Platform, context: Context): Promise<ResolvedImage> {
  const { base, repository, tag } = parseReference(reference);
  let headers: Record<string, string> = {};
  const manifest = async (version: string) => {
    const address = `${base}/v2/${repository}/manifests/${version}`;
    const ask = () => context.http.answer(address, { headers: { accept, ...headers }, signal: context.signal });
    let answer = await ask();
    if (answer.status === 401) {
      headers = { authorization: `Bearer ${await token(answer, repository, context)}` };
      answer = await ask();
    }
    const { status, text } = answer;
    if (status !== 200) throw new Error(`${reference}: HTTP ${status} from ${base}`);
    const digest = `sha256:${sha256(text)}`;
    if (version.startsWith("sha256:") && digest !== version) {
      throw new Error(`${reference}: manifest checksum is ${digest}, want ${version}`);
    }
    return { digest, body: parseJson<{ manifests?: Descriptor[]; layers?: Descriptor[] }>(text, address) };
  };
  const top = await manifest(tag);
  const own = top.body.manifests?.find((entry) => `${entry.platform?.os}/${entry.platform?.architecture}` === platform);
  if (top.body.manifests && !own) throw new Error(`${reference}: no image for ${platform}`);
  const { layers } = own ? (await manifest(own.digest)).body : top.body;
  if (!layers) throw new Error(`${reference}: the registry answered with something that is not an image`);
  return {
    digest: top.digest,
    layers,
    blobAddress: (layer) => `${base}/v2/${repository}/blobs/${layer.digest}`,
    headers,
  };
}

/** Anonymous: https://distribution.github.io/distribution/spec/auth/token/ */
async function token(refusal: TextAnswer, repository: string, context: Context): Promise<string> {
  const challenge = refusal.headers["www-authenticate"] ?? "";
  const fields = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  if (!/^bearer /i.test(challenge) || !fields.realm) throw new Error(`${repository}: the registry wants a login`);
  const address = new URL(fields.realm);
  if (fields.service) address.searchParams.set("service", fields.service);
  address.searchParams.set("scope", fields.scope ?? `repository:${repository}:pull`);
  const text = await context.http.text(address.href, context);
  const answer = parseJson<{ token?: string; access_token?: string }>(text, address.href);
  const found = answer.token ?? answer.access_token;
  if (!found) throw new Error(`${address.host}: gave no token for ${repository}`);
  return found;
}

function parseReference(reference: string): { base: string; repository: string; tag: string } {
  const match = /^([^/]+)\/(.+):([^:/]+)$/.exec(reference);
  if (!match) throw new Error(`image reference: got "${reference}", want registry/repository:tag`);
  const [, host = "", repository = "", tag = ""] = match;
  const scheme = /^(localhost|127\.|\[::1\])/.test(host) ? "http" : "https";
  return { base: `${scheme}://${host === "docker.io" ? "registry-1.docker.io" : host}`, repository, tag };
}
