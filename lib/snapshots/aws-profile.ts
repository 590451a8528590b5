/**
 * What of a file like `~/.aws/credentials` signing in by one of its profiles takes: its section, and those it goes by. Where it is
 * read on another machine the rest is nobody's business.
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
