import type { implement } from "./implementation.ts";

/**
 * A provider whose `delete` leaves alone what this run has declared at the same place. When a replacement is
 * interrupted and then reverted, or is forced (`up --replace`), the engine makes the thing again where the old one still is,
 * and at the end deletes the old one's state; also when that run was interrupted in turn, and the next finds the new one as
 * declared.
 *
 * One process serves one run of the engine, and a deletion before a replacement is told apart by its order: it comes before
 * the thing is made.
 *
 * @param placeOf what two states of the same thing have in common; undefined while it is not known
 */
export function sparingDeclared<P extends ReturnType<typeof implement>>(
  implemented: P,
  placeOf: (props: Props) => string | undefined,
): P {
  const noting = notingDeclared(implemented, placeOf);
  return {
    ...noting,
    async delete(id: string, props: Props) {
      const place = placeOf(props);
      if (place === undefined || !standing.has(place)) return noting.delete(id, props);
      console.log(`${id}: is declared there again, so it stays as it is`);
    },
  };
}

/** A provider that notes what this run declares, see {@link declaredNow}. */
export function notingDeclared<P extends ReturnType<typeof implement>>(
  implemented: P,
  placeOf: (props: Props) => string | undefined,
): P {
  const note = (places: Map<string, Props>, props: Props) => {
    const place = placeOf(props);
    if (place !== undefined) places.set(place, props);
  };
  return {
    ...implemented,
    check(olds: Props | undefined, news: Props) {
      note(checked, news);
      return implemented.check(olds, news);
    },
    async diff(id: string, olds: Props, news: Props) {
      const difference = await implemented.diff(id, olds, news);
      // A refresh checks too, with what the previous run declared.
      const isDeclared = checked.has(placeOf(news) ?? "");
      if (isDeclared && (difference.replaces ?? []).length === 0) note(standing, news);
      return difference;
    },
    create(inputs: Props) {
      note(standing, inputs);
      return implemented.create(inputs);
    },
    update(id: string, olds: Props, news: Props) {
      note(standing, news);
      return implemented.update(id, olds, news);
    },
  };
}

/** What this run has declared to stay, of all providers that note it. */
export const declaredNow = <T>(): readonly T[] => [...standing.values()] as T[];

/**
 * Whether this run's program has declared something at a place, before it is made there too: for what is taken over as
 * it is, also where what was there before is deleted first.
 */
export const isDeclaredAt = (place: string | undefined): boolean => place !== undefined && checked.has(place);

/** For tests: begins another run. */
export function beginRun(): void {
  checked.clear();
  standing.clear();
}

const checked = new Map<string, Props>();
/** What is to stay. */
const standing = new Map<string, Props>();

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what Pulumi hands over is not typed
type Props = Record<string, any>;
