import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { scrapeFiles } from "../../lib/monitoring/scrape-configs.ts";
import { applied, dashboardFile, hostDirectory, included } from "./files.ts";

/** Name of the list of what was written into a directory, a path a line. */
export const listFile = ".written-by-karmada-monitoring";

/** The paths in a directory that earlier runs have written, as far as they are still there. */
export async function writtenBefore(directory: string): Promise<string[]> {
  const list = await textOf(join(directory, listFile));
  const paths = list === undefined ? await known(directory) : list.split("\n").filter((path) => path !== "");
  return paths.filter((path) => !normalize(path).startsWith("..") && existsSync(join(directory, path)));
}

/** Notes what is about to be written, or was. */
export async function noteWritten(directory: string, paths: Iterable<string>): Promise<void> {
  const file = join(directory, listFile);
  await mkdir(dirname(file), { recursive: true });
  writeAtomically(file, [...new Set(paths)].map((path) => `${path}\n`).join(""), 0o644);
}

/** Earlier releases kept no list. What they wrote is known by how it begins, and so is what they wrote beside it. */
async function known(directory: string): Promise<string[]> {
  const hosts = await readdir(join(directory, "hosts")).catch(() => []);
  const found: string[] = [];
  for (const folder of ["", ...hosts.map(hostDirectory)]) {
    for (const { file, beginning, beside } of marks) {
      const text = await textOf(join(directory, folder, file));
      if (text !== undefined && beginning.test(text))
        found.push(...[file, ...beside].map((name) => join(folder, name)));
    }
  }
  return found;
}

const marks = [
  { file: included.rules, beginning: /^groups:\n {2}- name: \S+\/programs\n/, beside: [] },
  {
    file: included.scrapes,
    beginning: /^scrape_configs:\n {2}- job_name: \S+\/\S+\n[^]*?\n {10}deployment: .*\n {10}component: /,
    beside: Object.values(scrapeFiles),
  },
  {
    file: applied.objects,
    beginning: /^apiVersion: [^]*\nkind: PodMonitor\n[^]*\nkind: PrometheusRule\n[^]*\n {4}- name: \S+\/programs\n/,
    beside: [applied.secret],
  },
  { file: dashboardFile, beginning: /^\{\n {2}"uid": "karmada-/, beside: [] },
];

const textOf = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);
