import { jsonOf } from "../../../spec/values/json-of.ts";
import { failPoint } from "../../fail-point.ts";
import type { DataDirectory, FoundData } from "./data-directory.ts";
import { marker, markerFile, type RestoreMarker } from "./marker.ts";
import type { MemberEvidence, MemberFiles, MemberRestore } from "./member-files.ts";

/** The files of a member in its data directory, wherever that is. */
export class FilesIn implements MemberFiles {
  readonly #directory: DataDirectory;

  constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  async evidence(): Promise<MemberEvidence> {
    const { restored, used } = await this.#look();
    return {
      data: used !== undefined,
      ...(used?.clusterId && { clusterId: used.clusterId }),
      ...(restored && { restored }),
    };
  }

  async restore(work: MemberRestore): Promise<RestoreMarker> {
    const { generation, source, sha256, token, initialCluster, replaces } = work;
    const bumpRevision = String(work.bumpRevision);
    const wanted = { generation, sha256, token, initialCluster, bumpRevision };
    const { restored, incarnations } = await this.#look();
    const numbers = incarnations.map(({ number }) => number);
    if (restored !== undefined && agrees(restored, wanted) && numbers.includes(restored.incarnation)) return restored;
    const incarnation = 1 + Math.max(0, restored?.incarnation ?? 0, ...numbers);
    const clusterId = await this.#directory.make(work, incarnation);
    failPoint("restore/made");
    const superseded = neverUsed(restored);
    const note = {
      ...wanted,
      source,
      incarnation,
      ...(superseded.length > 0 && { superseded }),
      clusterId,
      replaces,
      preparedAt: new Date().toISOString(),
    };
    await this.#directory.place(incarnation, textOf(note));
    failPoint("restore/placed");
    return note;
  }

  async note(step: "startedAt" | "finishedAt"): Promise<void> {
    const { restored } = await this.#look();
    if (restored === undefined) throw new Error(`${this.#directory.label}: nothing was restored here`);
    if (restored[step] !== undefined) return;
    await this.#directory.writeMarker(textOf({ ...restored, [step]: new Date().toISOString() }));
  }

  async copyDatabase(to: string): Promise<void> {
    const { used } = await this.#look();
    if (used === undefined) throw new Error(`${this.#directory.label}: there are no data of a member`);
    await this.#directory.copyDatabase(used.number, to);
  }

  /** `used` is the newest incarnation that etcd was ever started with, not one that is only prepared. */
  async #look() {
    const { marker: text, incarnations } = await this.#directory.look();
    const restored = text === undefined ? undefined : this.#read(text);
    const prepared = neverUsed(restored);
    const used: FoundData["incarnations"][number] | undefined = incarnations.findLast(
      ({ number, retired = false }) => !prepared.includes(number) && !retired,
    );
    return { restored, incarnations, used };
  }

  #read(text: string): RestoreMarker {
    const read = marker.safeParse(jsonOf(text));
    if (read.success) return read.data;
    throw new Error(
      `${this.#directory.label}/${markerFile}: cannot be read, so nobody knows what was restored here\nmove it away if nothing was`,
    );
  }
}

/** Incarnations that restores made here but etcd was never started with: they are evidence of no former cluster. */
const neverUsed = (restored: RestoreMarker | undefined): number[] => [
  ...(restored?.superseded ?? []),
  ...(restored !== undefined && restored.startedAt === undefined ? [restored.incarnation] : []),
];

const textOf = (note: RestoreMarker): string => JSON.stringify(note, null, 2) + "\n";

const agrees = (found: RestoreMarker, wanted: Partial<RestoreMarker>): boolean =>
  Object.entries(wanted).every(([key, value]) => found[key as keyof RestoreMarker] === value);
