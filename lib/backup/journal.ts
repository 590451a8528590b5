import { join } from "node:path";
import { readJson, writeAtomically } from "../atomic-file.ts";
import type { SnapshotTarget } from "../snapshots/target.ts";

/** What is meant of a target. */
type Named = Pick<SnapshotTarget, "uri" | "name">;

/** Notes which snapshots are being written or removed in which target, in a file of a backup program's directory. */
export class Journal {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, "unfinished.json");
  }

  /** The snapshots that are noted for a target. */
  of({ name }: Named): string[] {
    return this.#all().flatMap((each) => (each.name === name ? each.id : []));
  }

  /** Notes that something has begun, or that it is done. */
  note({ uri, name }: Named, id: string, unfinished: boolean): void {
    const others = this.#all().filter((each) => each.id !== id || each.name !== name);
    this.#write([...others, ...(unfinished ? [{ uri, name, id }] : [])]);
  }

  /** What an earlier release has noted by URI alone may be in any target that has it. */
  adopt(targets: readonly Named[]): void {
    const all = this.#all();
    if (all.every(({ name }) => name !== undefined)) return;
    const adopted = all.flatMap((each) => {
      if (each.name !== undefined) return [each];
      const meant = targets.filter(({ uri }) => uri === each.uri);
      return meant.length === 0 ? [each] : meant.map(({ name }) => ({ ...each, name }));
    });
    this.#write(adopted);
  }

  #all(): readonly Unfinished[] {
    return readJson<Unfinished[]>(this.#path) ?? [];
  }

  #write(all: readonly Unfinished[]): void {
    writeAtomically(this.#path, JSON.stringify(all));
  }
}

interface Unfinished {
  readonly uri: string;
  /** What an earlier release has written has none. */
  readonly name?: string;
  readonly id: string;
}
