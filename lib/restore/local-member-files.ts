import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ExecaError, execa } from "execa";
import { clusterIdOfData } from "../etcd/wal.ts";
import { readJson, writeAtomically } from "../supervisor/atomic-file.ts";
import { marker, markerFile, type RestoreMarker } from "./marker.ts";
import type { MemberEvidence, MemberFiles, MemberRestore } from "./member-files.ts";

/**
 * The files of a member on this machine: `<directory>/1`, `<directory>/2` and so on are the data of its incarnations, the
 * marker lies beside them.
 */
export class LocalMemberFiles implements MemberFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async evidence(): Promise<MemberEvidence> {
    const restored = this.#marker();
    const used = await this.#newestUsed(restored);
    const clusterId = used === undefined ? undefined : clusterIdOfData(this.#data(used));
    return { data: used !== undefined, ...(clusterId && { clusterId }), ...(restored && { restored }) };
  }

  async restore(work: MemberRestore): Promise<RestoreMarker> {
    const { generation, sha256, token, initialCluster, replaces } = work;
    const bumpRevision = String(work.bumpRevision);
    const wanted = { generation, sha256, token, initialCluster, bumpRevision };
    const found = this.#marker();
    if (found !== undefined && agrees(found, wanted) && (await this.#incarnations()).includes(found.incarnation)) {
      return found;
    }
    const incarnation = 1 + Math.max(0, found?.incarnation ?? 0, ...(await this.#incarnations()));
    const clusterId = await this.#make(work, incarnation);
    const preparedAt = new Date().toISOString();
    return this.#write({ ...wanted, incarnation, clusterId, replaces, preparedAt });
  }

  async note(step: "startedAt" | "finishedAt"): Promise<void> {
    const found = this.#marker();
    if (found === undefined) throw new Error(`${this.#directory}: nothing was restored here`);
    if (found[step] === undefined) this.#write({ ...found, [step]: new Date().toISOString() });
  }

  async copyDatabase(to: string): Promise<void> {
    const used = await this.#newestUsed(this.#marker());
    if (used === undefined) throw new Error(`${this.#directory}: there are no data of a member`);
    await copyFile(join(this.#data(used), "member", "snap", "db"), to);
  }

  /** In a directory of another name first: what has a number is whole. */
  async #make(work: MemberRestore, incarnation: number): Promise<string> {
    const making = join(this.#directory, ".restoring");
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rm(making, { recursive: true, force: true });
    await restoreWithEtcdutl(work, making);
    const clusterId = clusterIdOfData(making);
    if (clusterId === undefined) throw new Error(`${work.member}: the data that etcdutl made name no cluster`);
    await rename(making, this.#data(incarnation));
    return clusterId;
  }

  /** The newest incarnation that etcd was ever given, not one that is only prepared. */
  async #newestUsed(restored: RestoreMarker | undefined): Promise<number | undefined> {
    const prepared = restored?.startedAt === undefined ? restored?.incarnation : undefined;
    return (await this.#incarnations()).filter((each) => each !== prepared).at(-1);
  }

  async #incarnations(): Promise<number[]> {
    const names = await readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  #data(incarnation: number): string {
    return join(this.#directory, String(incarnation));
  }

  #marker(): RestoreMarker | undefined {
    const path = join(this.#directory, markerFile);
    if (!existsSync(path)) return undefined;
    const read = marker.safeParse(readJson(path));
    if (read.success) return read.data;
    throw new Error(`${path}: cannot be read, so nobody knows what was restored here\nmove it away if nothing was`);
  }

  #write(note: RestoreMarker): RestoreMarker {
    writeAtomically(join(this.#directory, markerFile), JSON.stringify(note, null, 2) + "\n");
    return note;
  }
}

const agrees = (found: RestoreMarker, wanted: Partial<RestoreMarker>): boolean =>
  Object.entries(wanted).every(([key, value]) => found[key as keyof RestoreMarker] === value);

async function restoreWithEtcdutl(work: MemberRestore, directory: string): Promise<void> {
  const args = [
    "snapshot",
    "restore",
    work.file,
    `--name=${work.member}`,
    `--initial-cluster=${work.initialCluster}`,
    `--initial-advertise-peer-urls=${work.peerUrl}`,
    `--initial-cluster-token=${work.token}`,
    `--data-dir=${directory}`,
    `--bump-revision=${work.bumpRevision}`,
    "--mark-compacted",
    ...(work.bare ? ["--skip-hash-check"] : []),
  ];
  try {
    await execa(work.etcdutl, args, { timeout: restoreMinutes * 60_000, all: true, stdin: "ignore" });
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

/** 1 GB takes 2 s on a plain machine. */
const restoreMinutes = 30;
