import type { Host } from "./host.ts";
import { parseSaid, say } from "./process.ts";
import { quote } from "./quote.ts";

/** What a host reports of a port that it can reach. */
export const open = "open";

/** In words, when it cannot. */
export const cutOff = (target: string, answer: string): string => `cannot reach ${target}: ${answer}`;

/** When a port counts as reached: when its host is, or when something listens there. */
export type Reached = "arrives" | "answers";

/**
 * Which of the given ports of other hosts, `10.0.0.12:2380`, a host cannot reach, and what came instead of an answer.
 */
export async function outOfReach(
  host: Host,
  targets: readonly string[],
  reached: Reached = "arrives",
): Promise<Readonly<Record<string, string>>> {
  if (targets.length === 0) return {};
  const said = parseSaid(await host.run("trying to reach other hosts", `${say}\n${reachScript(targets, reached)}`));
  const answers = said.filter(([key]) => key === "reach").map(([, answer]) => splitAt(answer, answer.indexOf(" ")));
  return Object.fromEntries(answers.filter(([, answer]) => answer !== open));
}

/**
 * Shell commands that print `reach 10.0.0.12:2380 open`, for all targets at the same time, in a single bash. They need
 * {@link say}. A port that refuses counts as arrived at: nothing listens there yet.
 */
export function reachScript(targets: readonly string[], reached: Reached = "arrives"): string {
  const all = targets.map((target) => splitAt(target, target.lastIndexOf(":")).join(" "));
  const asking = `
ask() {
  answer=$( (exec 3<>"/dev/tcp/$1/$2") 2>&1) && answer=${open} || case "$answer" in
    *refused*) answer="${reached === "arrives" ? open : "connection refused, nothing listens there"}" ;;
    *) answer=\${answer##*: } ;;
  esac
  printf "reach %s:%s %s\\n" "$1" "$2" "$answer"
}
${all.map((each) => `ask ${each} &`).join("\n")}
wait`;
  return `
if command -v bash >/dev/null && command -v timeout >/dev/null; then
  answers=$(timeout ${answerSeconds} bash -c ${quote(asking)} || true)
  echo "$answers"
  for each in ${targets.join(" ")}; do
    case "$answers" in *"reach $each "*) ;; *) say reach "$each no answer within ${answerSeconds} s" ;; esac
  done
fi`;
}

/** A firewalled port never answers; a busy host takes seconds merely to begin asking. */
const answerSeconds = 8;

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at + 1)];
