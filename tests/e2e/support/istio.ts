/** Istio as it is released, made of its module: its two charts in a repository, its control plane in an image. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { packageChart, publishInRepository } from "../../support/charts.ts";
import type { KubernetesLab } from "../../support/kubernetes-lab.ts";
import { importAlone } from "../../support/kubernetes-lab/images.ts";
import { programPath } from "../../support/programs.ts";
import type { Web } from "../../toolchain/support/web.ts";

/** Where releases have their images. */
export const hub = "registry.istio.io/release";

/** Makes a web server the repository of a release's charts `base` and `istiod`. @returns its address */
export async function publishIstio(web: Web, directory: string, version: string): Promise<string> {
  const packaged = join(directory, "packaged");
  await mkdir(packaged, { recursive: true });
  let repository = "";
  for (const path of ["base", "istio-control/istio-discovery"]) {
    const chart = join(directory, version, basename(path));
    await cp(join(await programPath("istio-charts"), path), chart, { recursive: true });
    // What a release says instead: https://github.com/istio/release-builder
    const values = await readFile(join(chart, "values.yaml"), "utf8");
    const released = values
      .replace("hub: registry.istio.io/testing", `hub: ${hub}`)
      .replace("tag: latest", `tag: ${version}`);
    await writeFile(join(chart, "values.yaml"), released);
    repository = await publishInRepository(web, await packageChart(chart, packaged, version));
  }
  return repository;
}

/** Hands istiod to a lab, as the user that its own image has. */
export const importIstiod = (lab: KubernetesLab, version: string): Promise<void> =>
  importAlone(lab.directory, lab.socket, `${hub}/pilot:${version}`, "1337:1337");
