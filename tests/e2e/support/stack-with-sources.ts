import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import * as tar from "tar";
import { stringify } from "yaml";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { freePorts } from "../../support/api-server.ts";
import { packageChart, publishInRepository, writeChart } from "../../support/charts.ts";
import { programPath } from "../../support/programs.ts";
import type { Programs } from "../../support/running.ts";
import { sha256 } from "../../toolchain/support/sandbox.ts";
import { bytes, type Web } from "../../toolchain/support/web.ts";
import type { StackConfig } from "./stack.ts";

/**
 * A small stack whose addons come from elsewhere: a manifest by URL, a chart of a repository and an image of a registry, all of
 * which are on this machine, with what is made for them in a directory.
 */
export async function stackWithSources(
  directory: string,
  web: Web,
  programs: Programs,
): Promise<{ config: StackConfig; image: string }> {
  const configMap = (name: string) => stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const manifest = configMap("from-url");
  web.answers.set("/addon.yaml", bytes(manifest));
  const chart = await writeChart(directory, "offline", { "templates/map.yaml": configMap("from-chart") });
  await mkdir(join(directory, "packaged"));
  const packaged = await packageChart(chart, join(directory, "packaged"));
  const pinned = {
    kind: "chart",
    repository: await publishInRepository(web, packaged),
    chart: "offline",
    version: "1.2.3",
    sha256: sha256(await readFile(packaged)),
  };
  const image = await pushedImage(directory, programs);
  const into = { target: { kind: "controlPlane" }, namespace: "default" };
  const source = { kind: "manifest", url: `${web.base}/addon.yaml`, sha256: sha256(manifest) };
  const config = {
    etcd: { kind: "managed", members: 1 },
    members: [{ name: "member1", credentials: { kind: "simulated" } }],
    addons: [
      { name: "by-url", source, ...into },
      { name: "by-chart", source: pinned, ...into, images: [image] },
    ],
  };
  return { config, image };
}

/** An image of one file in a registry that runs until the programs end. @returns its name */
async function pushedImage(directory: string, programs: Programs): Promise<string> {
  const [port] = await freePorts(1);
  await programs.start("crane", ["registry", "serve", "--address", `127.0.0.1:${port}`], "registry");
  await waitFor("the registry", deadlineIn(30), () => fetch(`http://127.0.0.1:${port}/v2/`));
  const image = `127.0.0.1:${port}/web/nginx:1.29`;
  const layer = join(directory, "layer.tar");
  await tar.c({ file: layer, cwd: directory }, ["offline/Chart.yaml"]);
  await execa(await programPath("crane"), ["append", "-f", layer, "-t", image]);
  return image;
}
