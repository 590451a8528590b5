/**
 * A pattern of https://github.com/gobwas/glob with `/` as the separator: `*` and `?` stop at it, `**` does not;
 * `[abc]`, `[a-z]`, `[!abc]`, `{one,two}` and `\` before a character that shall mean itself.
 * @throws Error for a list or alternative without end
 */
export function globPattern(glob: string): RegExp {
  let pattern = "";
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!;
    if (character === "\\" && i + 1 < glob.length) pattern += literal(glob[++i]!);
    else if (character === "*") {
      const any = glob[i + 1] === "*";
      if (any) i++;
      pattern += any ? ".*" : "[^/]*";
    } else if (character === "?") pattern += "[^/]";
    else if (character === "[") {
      const end = glob.indexOf("]", i + 1);
      if (end < 0) throw new Error(`glob ${glob}: no end of [`);
      pattern += list(glob.slice(i + 1, end));
      i = end;
    } else if (character === "{") {
      depth++;
      pattern += "(?:";
    } else if (character === "}" && depth > 0) {
      depth--;
      pattern += ")";
    } else if (character === "," && depth > 0) pattern += "|";
    else pattern += literal(character);
  }
  if (depth > 0) throw new Error(`glob ${glob}: no end of {`);
  return new RegExp(`^${pattern}$`, "su");
}

function list(content: string): string {
  const negated = content.startsWith("!");
  const characters = (negated ? content.slice(1) : content).replace(/[\\^\]]/g, "\\$&");
  return `[${negated ? "^" : ""}${characters}]`;
}

function literal(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/]/, "\\$&");
}
