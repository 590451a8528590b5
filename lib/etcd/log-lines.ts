/**
 * The end of etcd's log in short: lines above info level, `error bootstrap failed: no route to host`; all of it when
 * there are none. Of a panic, what it says, not where in the program it was.
 */
export function readable(log: string): string {
  const lines = withoutStacks(log.split("\n").filter((line) => line.trim() !== ""));
  const short = lines.map(shortened);
  const bad = short.filter((_, i) => !/"level":"(debug|info)"/.test(lines[i] ?? ""));
  return [...new Set(bad.length > 0 ? bad : short)].slice(-shownLines).join("\n");
}

/** How many lines of the log {@link readable} should be given: a panic writes two for each stack frame. */
export const linesToRead = 100;

const shownLines = 20;

/** Go writes a stack after the line that names its goroutine; what follows is from a restarted program. */
function withoutStacks(lines: readonly string[]): string[] {
  let inStack = false;
  return lines.filter((line) => {
    if (line.startsWith("goroutine ")) inStack = true;
    else if (/^(\{|panic: |fatal error: )/.test(line)) inStack = false;
    return !inStack;
  });
}

function shortened(line: string): string {
  try {
    const { level, msg, error } = JSON.parse(line) as { level?: string; msg?: string; error?: string };
    if (level === undefined || msg === undefined) return line;
    return `${level} ${msg}${error === undefined ? "" : `: ${error}`}`;
  } catch {
    return line;
  }
}
