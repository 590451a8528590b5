/**
 * The part of a file like `~/.aws/credentials` needed to sign in with one of its profiles: its section, and those it
 * refers to. The rest is not passed on to other machines.
 *
 * @throws when there is no such profile
 */
export function profileIn(text: string, profile: string): string {
  const sections = new Map(text.split(/^(?=[ \t]*\[)/m).map((section) => [nameOf(section), section]));
  const taken = new Map<string, string>();
  for (let name: string | undefined = profile; name !== undefined && !taken.has(name);) {
    const section = sections.get(name);
    if (section === undefined) throw new Error(`there is no profile "${name}"`);
    taken.set(name, `${section.trim()}\n`);
    name = /^\s*source_profile\s*=\s*(\S+)/m.exec(section)?.[1];
  }
  return [...taken.values()].join("");
}

const nameOf = (section: string): string | undefined => /^\s*\[\s*(?:profile\s+)?([^\]]*?)\s*\]/.exec(section)?.[1];
