import { sha256 } from "./sandbox.ts";
import { bytes, type Answer, type Web } from "./web.ts";

export interface ImageLayout {
  /** Layers as tar archives, lowest first. */
  readonly layers: readonly Buffer[];
  readonly platform: string;
}

/** Publishes an image for several platforms on a web server, behind an anonymous token as public registries have it. */
export function publishImage(web: Web, repository: string, tag: string, images: readonly ImageLayout[]): void {
  const root = `/v2/${repository}`;
  const guarded =
    (answer: Answer): Answer =>
    (request, response) => {
      if (request.headers.authorization === "Bearer letmein") return answer(request, response);
      const challenge = `Bearer realm="${web.base}/token",service="registry.test",scope="repository:${repository}:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    };
  web.answers.set("/token", bytes(JSON.stringify({ token: "letmein" })));
  const manifests = images.map(({ layers, platform }) => {
    const [os, architecture] = platform.split("/");
    const manifest = JSON.stringify({
      schemaVersion: 2,
      layers: layers.map((layer) => {
        const digest = `sha256:${sha256(layer)}`;
        web.answers.set(`${root}/blobs/${digest}`, guarded(bytes(layer)));
        return { mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", digest, size: layer.length };
      }),
    });
    const digest = `sha256:${sha256(manifest)}`;
    web.answers.set(`${root}/manifests/${digest}`, guarded(bytes(manifest)));
    return { mediaType: "application/vnd.oci.image.manifest.v1+json", digest, size: 1, platform: { os, architecture } };
  });
  const index = JSON.stringify({ schemaVersion: 2, manifests });
  web.answers.set(`${root}/manifests/${tag}`, guarded(bytes(index)));
}
