import { closest } from "../closest.ts";
import type { Sections } from "../deployment.ts";
import type { Problem } from "../problems.ts";
import type { TypedAddon } from "./addons.ts";

/** Finds unknown and duplicate names, circles, and missing targets. */
export function checkAddons(addons: readonly TypedAddon[], { members, placement }: Partial<Sections>): Problem[] {
  const names = addons.map(({ name }) => name);
  return [
    ...addons.flatMap(({ name }, i) => {
      const before = names.indexOf(name);
      if (before === i) return [];
      return [{ path: ["addons", i, "name"], message: `got "${name}", want another name: addons[${before}] has it` }];
    }),
    ...addons.flatMap(({ after }, i) =>
      after.flatMap((name, j) =>
        names.includes(name) ? [] : [unknown(["addons", i, "after", j], name, "addon", names)],
      ),
    ),
    ...circle(addons),
    ...addons.flatMap((addon, i) => [
      ...(members
        ? checkMembers(
            addon,
            i,
            members.map(({ name }) => name),
          )
        : []),
      ...(placement ? checkHost(addon, i, placement.kind) : []),
    ]),
  ];
}

/** One circle, if there is any, in the order the operator would follow it. */
function circle(addons: readonly TypedAddon[]): Problem[] {
  const after = new Map(addons.map((addon) => [addon.name, addon.after]));
  const done = new Set<string>();
  const walk = (name: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    done.add(name);
    for (const next of after.get(name) ?? []) {
      const found = walk(next, [...way, name]);
      if (found) return found;
    }
    return undefined;
  };
  for (const { name } of addons) {
    const found = walk(name, []);
    if (!found) continue;
    const at = addons.findIndex((addon) => addon.name === found[0]);
    return [{ path: ["addons", at, "after"], message: `${found.join(" is after ")}: none of them could be first` }];
  }
  return [];
}

function checkMembers({ target }: TypedAddon, i: number, names: readonly string[]): Problem[] {
  if (target.kind !== "members" && target.kind !== "propagated") return [];
  const path = ["addons", i, "target"];
  const { members } = target;
  if (target.kind === "propagated" && members && target.labels)
    return [{ path: [...path, "labels"], message: "got labels beside members, want one of the two" }];
  if (target.kind === "members" && names.length === 0)
    return [{ path: [...path, "kind"], message: 'got "members", but the stack file has no members' }];
  return (members ?? []).flatMap((name, j) =>
    names.includes(name) ? [] : [unknown([...path, "members", j], name, "member", names)],
  );
}

function checkHost({ target }: TypedAddon, i: number, placement: string): Problem[] {
  if (target.kind !== "host" || placement === "kubernetes") return [];
  const message = `got "host", want another target with placement.kind "${placement}": only "kubernetes" has a host cluster`;
  return [{ path: ["addons", i, "target", "kind"], message }];
}

function unknown(path: Problem["path"], name: string, what: string, names: readonly string[]): Problem {
  const meant = closest(name, names);
  const advice = meant ? `did you mean "${meant}"?` : `want one of ${names.join(", ") || "none: there are none"}`;
  return { path, message: `got "${name}", there is no ${what} of that name, ${advice}` };
}
