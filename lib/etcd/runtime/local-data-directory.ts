import { copyFile, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ExecaError, execa } from "execa";
import { clusterIdOfData } from "../wal.ts";
import { failPoint } from "../../fail-point.ts";
import { writeAtomically } from "../../atomic-file.ts";
import {
  type DataDirectory,
  type FoundData,
  making,
  namesNoCluster,
  restoreArguments,
  restoreSeconds,
} from "./data-directory.ts";
import { markerFile } from "./marker.ts";
import type { MemberRestore } from "./member-files.ts";

/** The data of a member on this machine. */
export class LocalDataDirectory implements DataDirectory {
  readonly label: string;

  constructor(directory: string) {
    this.label = directory;
  }

  async look(): Promise<FoundData> {
    const names = await orElse(readdir(this.label), []);
    const text = await orElse(readFile(this.#at(markerFile), "utf8"), undefined);
    const numbers = names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
    const incarnations = numbers
      .sort((a, b) => a - b)
      .map((number) => {
        const clusterId = clusterIdOfData(this.#at(String(number)));
        return { number, ...(clusterId !== undefined && { clusterId }) };
      });
    return { ...(text !== undefined && { marker: text }), incarnations };
  }

  async make(work: MemberRestore): Promise<string> {
    const made = this.#at(making);
    await mkdir(this.label, { recursive: true, mode: 0o700 });
    await rm(made, { recursive: true, force: true });
    await restoreWithEtcdutl(work, made);
    const clusterId = clusterIdOfData(made);
    if (clusterId === undefined) throw namesNoCluster(work);
    await work.proved;
    return clusterId;
  }

  async place(incarnation: number, marker: string): Promise<void> {
    await this.writeMarker(marker);
    failPoint("restore/noted");
    await rename(this.#at(making), this.#at(String(incarnation)));
  }

  async writeMarker(text: string): Promise<void> {
    writeAtomically(this.#at(markerFile), text, 0o600, { flush: true });
  }

  async copyDatabase(incarnation: number, to: string): Promise<void> {
    await copyFile(join(this.#at(String(incarnation)), "member", "snap", "db"), to);
  }

  #at(name: string): string {
    return join(this.label, name);
  }
}

/** The other value if the file does not exist. */
async function orElse<T, Else>(reading: Promise<T>, otherwise: Else): Promise<T | Else> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return otherwise;
    throw error;
  });
}

async function restoreWithEtcdutl(work: MemberRestore, directory: string): Promise<void> {
  const args = restoreArguments(work, work.file, directory);
  try {
    await execa(work.etcdutl, args, { timeout: restoreSeconds * 1000, all: true, stdin: "ignore" });
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    const said = String(error.all ?? "")
      .trim()
      .split("\n")
      .slice(-3)
      .join("\n");
    throw new Error(
      `${work.member}: etcdutl snapshot restore: ${error.originalMessage ?? `exit code ${error.exitCode}`}\n${said}`,
      {
        cause: error,
      },
    );
  }
}
