import type { MemberStatus } from "../../lib/members/status.ts";
import type { Seen } from "./members-now.ts";
import { styleFor } from "./styles.ts";
import { type Column, table } from "./table.ts";

/** The members as `npm run status` shows them; in colour on a terminal only. */
export function memberTable(
  members: readonly MemberStatus[],
  now: Date,
  screen: NodeJS.WritableStream = process.stdout,
): string {
  if (members.length === 0) return "no member clusters: karmada:members in the stack file\n";
  const style = styleFor(screen);
  const colour = { True: style("green"), False: style("red"), Unknown: style("yellow") };
  const columns: Column<MemberStatus>[] = [
    { title: "CLUSTER", text: ({ name }) => name },
    { title: "MODE", text: ({ mode }) => mode || "-" },
    { title: "VERSION", text: ({ version }) => version || "-" },
    { title: "READY", text: ({ ready }) => ready, paint: (text, { ready }) => colour[ready](text) },
    { title: "NODES", text: ({ nodes }) => (nodes === undefined ? "-" : `${nodes.ready}/${nodes.total}`) },
    { title: "SINCE", text: ({ since }) => (since === undefined ? "-" : age(since, now)) },
    { title: "CREDENTIAL", text: (member) => credential(member, now) },
    { title: "REASON", text: ({ reason }) => reason },
  ];
  const causes = members.filter(({ ready }) => ready !== "True").map(({ name, message }) => `${name}: ${message}`);
  return [...table(columns, members, style("bold")), ...(causes.length > 0 ? ["", ...causes] : []), ""].join("\n");
}

/** The table of members as they were seen, or why the control plane could not be asked. */
export const seenTable = (
  { members, problem }: Seen,
  now: Date,
  screen: NodeJS.WritableStream = process.stdout,
): string => (problem === undefined ? memberTable(members, now, screen) : `control plane: ${problem}\n`);

/** `3d4h`, `5m10s`: the two largest units. */
export function span(seconds: number): string {
  const units = [
    ["d", 86400],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0) return "0s";
  let rest = Math.floor(seconds);
  return units
    .slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count === 0 ? "" : `${count}${unit}`;
    })
    .join("");
}

const age = (since: string, now: Date): string => span(Math.max(0, (now.getTime() - Date.parse(since)) / 1000));

function credential({ credentialExpires: end, credentialSince: since }: MemberStatus, now: Date): string {
  const text = end === undefined ? "no end" : remaining(end, now);
  return since === undefined ? text : `${text}, ${age(since, now)} old`;
}

function remaining(end: string, now: Date): string {
  const seconds = (Date.parse(end) - now.getTime()) / 1000;
  return seconds <= 0 ? "EXPIRED" : `ends in ${span(seconds)}`;
}
