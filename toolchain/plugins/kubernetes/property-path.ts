/** A property path as users write it: `spec.ports[0].name`, `metadata.annotations["example.com/a"]`, `spec.*`. */
export type PropertyPath = readonly (string | number)[];

/** @throws Error when the text is no path */
export function parsePath(text: string): PropertyPath {
  const path: (string | number)[] = [];
  let rest = text;
  while (rest) {
    const [match, quoted, index, bare] = step.exec(rest) ?? [];
    if (match === undefined) throw new Error(`failed to parse ignore path: ${JSON.stringify(text)}`);
    if (quoted !== undefined) path.push(quoted.replaceAll('\\"', '"'));
    else if (index !== undefined) path.push(index === "*" ? "*" : Number(index));
    else path.push(bare!);
    rest = rest.slice(match.length);
  }
  return path;
}
const step = /^\.?(?:\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.[\]]+))/;

/** Whether `outer` is `inner` or above it; `*` stands for any step. */
export function contains(outer: PropertyPath, inner: PropertyPath): boolean {
  return outer.length <= inner.length && outer.every((part, i) => part === "*" || part === inner[i]);
}

/** The path as keys of maps, which is all that can be kept back from an apply. */
export function pathKeys(path: PropertyPath): string[] {
  return path.map(String);
}
