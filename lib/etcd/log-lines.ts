/** etcd's log in short: what is worse than information, `error bootstrap failed: no route to host`; all of it when nothing is. */
export function readable(log: string): string {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const short = lines.map(shortened);
  const bad = short.filter((_, i) => !/"level":"(debug|info)"/.test(lines[i] ?? ""));
  return [...new Set(bad.length > 0 ? bad : short)].join("\n");
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
