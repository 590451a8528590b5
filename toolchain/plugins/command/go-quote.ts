const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A text as Go's `%q` shows it. */
export function goQuote(text: string): string {
  const escaped = text.replace(/["\\]|\p{C}/gu, (character) => ESCAPES[character] ?? hexadecimal(character));
  return `"${escaped}"`;
}

function hexadecimal(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}
