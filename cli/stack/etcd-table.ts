import type { EtcdMember } from "../../lib/etcd/member.ts";
import { mebibytes } from "../../lib/size.ts";
import { strayInWords } from "../../lib/etcd/stray-alarm.ts";
import type { EtcdNow } from "./etcd-now.ts";
import { styleFor } from "./styles.ts";
import { type Column, table } from "./table.ts";

/** A cluster of etcd as `npm run status` shows it; in colour on a terminal only. */
export function etcdTable(
  { name, state, tolerates, members, strayAlarms, silent }: EtcdNow,
  screen: NodeJS.WritableStream = process.stdout,
): string {
  const style = styleFor(screen);
  const isBad = state === "Unreachable" || state === "NoQuorum" || state === "Diverged" || state === "Corrupt";
  const paint = style(state === "Healthy" ? "green" : isBad ? "red" : "yellow");
  const columns: Column<EtcdMember>[] = [
    { title: "MEMBER", text: (member) => member.name || member.id },
    { title: "ROLE", text: ({ role }) => role },
    { title: "VERSION", text: ({ version }) => version || "-" },
    {
      title: "HEALTHY",
      text: ({ healthy }) => (healthy ? "True" : "False"),
      paint: (text, { healthy }) => style(healthy ? "green" : "red")(text),
    },
    { title: "BEHIND", text: ({ healthy, lag }) => (healthy ? String(lag) : "-") },
    { title: "DATABASE", text: database },
    { title: "ALARMS", text: ({ alarms }) => alarms.join(", ") || "none" },
  ];
  const problems = members.filter(({ healthy }) => !healthy).map((each) => `${each.name || each.id}: ${each.problem}`);
  const causes = members.length > 0 ? [...problems, ...strayAlarms.map(strayInWords)] : silent;
  return [
    `${style("bold")(name)}: ${paint(state)}, ${tolerates} may be lost`,
    ...(members.length > 0 ? table(columns, members, style("bold")) : []),
    ...(causes.length > 0 ? ["", ...causes] : []),
    "",
  ].join("\n");
}

function database({ dbSize, dbSizeQuota }: EtcdMember): string {
  if (dbSize === 0) return "-"; // it does not answer, or tells that to administrators only
  return dbSizeQuota === 0 ? mebibytes(dbSize) : `${mebibytes(dbSize)} of ${mebibytes(dbSizeQuota)}`;
}
