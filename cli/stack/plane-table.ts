import type { ProgramStatus } from "../../lib/plane/status.ts";
import { styleFor } from "./styles.ts";
import { type Column, table } from "./table.ts";

/** The programs of the control plane as `npm run status` shows them; in colour on a terminal only. */
export function planeTable(
  programs: readonly ProgramStatus[],
  screen: NodeJS.WritableStream = process.stdout,
): string[] {
  if (programs.length === 0) return [];
  const style = styleFor(screen);
  const colour = {
    Running: style("green"),
    Failing: style("red"),
    Unknown: style("yellow"),
    Unobserved: (text: string) => text,
  };
  const columns: Column<ProgramStatus>[] = [
    { title: "PROGRAM", text: ({ name }) => name },
    { title: "STATE", text: ({ state }) => state, paint: (text, { state }) => colour[state](text) },
    { title: "LEADER", text: ({ leader }) => leader?.replace(/_[^_]*$/, "") ?? "-" },
    { title: "REASON", text: ({ reason }) => reason },
  ];
  // What is the same for several, as where nothing answers, is said once.
  const ill = Map.groupBy(
    programs.filter(({ message }) => message !== ""),
    ({ message }) => message,
  );
  const causes = [...ill].map(([message, those]) => `${those.map(({ name }) => name).join(", ")}: ${message}`);
  return [...table(columns, programs, style("bold")), ...(causes.length > 0 ? ["", ...causes] : []), ""];
}
