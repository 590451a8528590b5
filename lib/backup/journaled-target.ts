import { join } from "node:path";
import { idOfFile, isPart, type Manifest } from "../snapshots/manifest.ts";
import { isDamaged, type SnapshotTarget } from "../snapshots/target.ts";
import { readJson, writeAtomically } from "../atomic-file.ts";

/**
 * A target with a note of what is being written or removed, so that the next run can remove what a killed one left.
 * Others write into the same targets at the same time: without such a note nobody can tell whose an unfinished file is.
 */
export class JournaledTarget implements SnapshotTarget {
  /** The same target for each further cluster of the deployment, by the name its snapshots are kept under. */
  readonly parts = new Map<string, JournaledTarget>();
  readonly #target: SnapshotTarget;
  readonly #journal: string;
  readonly #signal: AbortSignal;

  /** A write in progress when the signal fires is abandoned. */
  constructor(target: SnapshotTarget, directory: string, signal: AbortSignal) {
    this.#target = target;
    this.#journal = join(directory, "unfinished.json");
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
    for (const { id } of this.#unfinished()) {
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

  #unfinished(): readonly Unfinished[] {
    return this.#all().filter(({ uri }) => uri === this.uri);
  }

  #all(): readonly Unfinished[] {
    return readJson<Unfinished[]>(this.#journal) ?? [];
  }

  #note(id: string, unfinished: boolean): void {
    const others = this.#all().filter((each) => each.id !== id || each.uri !== this.uri);
    writeAtomically(this.#journal, JSON.stringify([...others, ...(unfinished ? [{ uri: this.uri, id }] : [])]));
  }
}

interface Unfinished {
  readonly uri: string;
  readonly id: string;
}

async function* whileWanted(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  for await (const chunk of content) {
    if (signal.aborted) throw new Error("given up, since the program was told to end");
    yield chunk;
  }
}
