import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { sha256 } from "../toolchain/support/sandbox.ts";
import { bytes, type Web } from "../toolchain/support/web.ts";
import { programPath } from "./programs.ts";

/** Writes a chart into `directory/name`. @param files its templates and the rest, by path @param more lines of its Chart.yaml */
export async function writeChart(
  directory: string,
  name: string,
  files: Readonly<Record<string, string>>,
  more = "",
): Promise<string> {
  const chart = join(directory, name);
  const all = { "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: 1.2.3\n${more}`, ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(chart, path)), { recursive: true });
    await writeFile(join(chart, path), text);
  }
  return chart;
}

/** Packages a chart by helm. @param version of it and of its application, instead of its own @returns the path of the `.tgz` */
export async function packageChart(chart: string, directory: string, version?: string): Promise<string> {
  const versions = version === undefined ? [] : [`--version=${version}`, `--app-version=${version}`];
  const { stdout } = await execa(await programPath("helm"), [
    "package",
    chart,
    "--destination",
    directory,
    ...versions,
  ]);
  return /: (.*\.tgz)$/m.exec(stdout)![1]!;
}

/** Makes a web server a chart repository with one chart. @returns its address */
export async function publishInRepository(web: Web, packaged: string): Promise<string> {
  const directory = dirname(packaged);
  await execa(await programPath("helm"), ["repo", "index", directory, "--url", `${web.base}/charts`]);
  web.answers.set("/charts/index.yaml", bytes(await readFile(join(directory, "index.yaml"))));
  web.answers.set(`/charts/${packaged.slice(directory.length + 1)}`, bytes(await readFile(packaged)));
  return `${web.base}/charts`;
}

/** Makes a web server a registry with one chart. @returns its reference. https://helm.sh/docs/topics/registries/ */
export async function publishInRegistry(web: Web, name: string, tag: string, packaged: string): Promise<string> {
  const root = `/v2/charts/${name}`;
  const blob = (content: Buffer, mediaType: string) => {
    const digest = `sha256:${sha256(content)}`;
    web.answers.set(`${root}/blobs/${digest}`, bytes(content));
    return { mediaType, digest, size: content.length };
  };
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const config = JSON.stringify({ name, version: tag, apiVersion: "v2" });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType,
    config: blob(Buffer.from(config), "application/vnd.cncf.helm.config.v1+json"),
    layers: [blob(await readFile(packaged), "application/vnd.cncf.helm.chart.content.v1.tar+gzip")],
  });
  const digest = `sha256:${sha256(manifest)}`;
  for (const reference of [tag, digest])
    web.answers.set(`${root}/manifests/${reference}`, (_request, response) => {
      const headers = { "content-type": mediaType, "content-length": manifest.length, "docker-content-digest": digest };
      response.writeHead(200, headers).end(manifest);
    });
  web.answers.set(`${root}/tags/list`, bytes(JSON.stringify({ name: `charts/${name}`, tags: [tag] })));
  return `oci://${web.base.replace("https://", "")}/charts/${name}`;
}
