import { idOfFile, isPart, type Manifest } from "../snapshots/manifest.ts";
import { isDamaged, type SnapshotTarget } from "../snapshots/target.ts";
import type { Journal } from "./journal.ts";

/**
 * A target with a note of what is being written or removed, so that the next run can remove what a killed one left.
 * Others write into the same targets at the same time: without such a note nobody can tell whose an unfinished file is.
 */
export class JournaledTarget implements SnapshotTarget {
  /** Targets of the deployment's further clusters, by the name their snapshots are kept under. */
  readonly parts = new Map<string, JournaledTarget>();
  readonly #target: SnapshotTarget;
  readonly #journal: Journal;
  readonly #signal: AbortSignal;

  /** A write in progress when the signal fires is abandoned. */
  constructor(target: SnapshotTarget, journal: Journal, signal: AbortSignal) {
    this.#target = target;
    this.#journal = journal;
    this.#signal = signal;
  }

  /** Removes what an earlier run did not finish; of a part also what is whole, but in no manifest of the deployment. */
  async cleanUp(): Promise<void> {
    await this.#cleanUp(async () => true);
    for (const part of this.parts.values()) await part.#cleanUp((id) => this.#names(id));
  }

  get uri(): string {
    return this.#target.uri;
  }

  get name(): string {
    return this.#target.name;
  }

  prepare(bytes: number): Promise<void> {
    return this.#target.prepare(bytes);
  }

  async put(file: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void> {
    this.#note(idOfFile(file), true);
    await this.#target.put(file, whileWanted(content, this.#signal), bytes);
  }

  async commit(manifest: Manifest): Promise<void> {
    await this.#target.commit(manifest);
    // A part is not finished before what it belongs to.
    if (!isPart(manifest.deployment)) this.#note(manifest.id, false);
    for (const { deployment, id } of manifest.parts ?? []) {
      const part = this.parts.get(deployment);
      if (part !== undefined) part.#note(id, false);
    }
  }

  get(file: string) {
    return this.#target.get(file);
  }

  list() {
    return this.#target.list();
  }

  head(id: string) {
    return this.#target.head(id);
  }

  async remove(id: string): Promise<void> {
    this.#note(id, true);
    await this.#target.remove(id);
    this.#note(id, false);
  }

  path(file: string): string | undefined {
    return this.#target.path(file);
  }

  close(): void {
    for (const part of this.parts.values()) part.close();
    this.#target.close();
  }

  async #cleanUp(belongs: (id: string) => Promise<boolean>): Promise<void> {
    for (const id of this.#journal.of(this)) {
      const found = await this.#target.head(id);
      const isWhole = found !== undefined && !isDamaged(found);
      if (!isWhole || !(await belongs(id))) await this.#target.remove(id);
      this.#note(id, false);
    }
  }

  /** Whether a part belongs to a snapshot that is there. */
  async #names(part: string): Promise<boolean> {
    const { snapshots } = await this.#target.list();
    return snapshots.some(({ parts = [] }) => parts.some(({ id }) => id === part));
  }

  #note(id: string, unfinished: boolean): void {
    this.#journal.note(this, id, unfinished);
  }
}

async function* whileWanted(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  for await (const chunk of content) {
    if (signal.aborted) throw new Error("given up, since the program was told to end");
    yield chunk;
  }
}
