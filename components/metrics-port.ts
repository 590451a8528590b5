import type { Process } from "./process.ts";

/**
 * Names of ports that answer for metrics, the first of those that a process has before the others: one of their own, that of
 * our programs and of haproxy, or the one that asks for a certificate or a token.
 */
export const metricsPorts: readonly string[] = ["metrics", "http", "secure"];

/** The port by which a process is asked for metrics, and how; undefined of one that has none. */
export function metricsPort({
  ports,
}: Process): { readonly name: string; readonly scheme: "http" | "https" } | undefined {
  const name = metricsPorts.find((port) => ports.includes(port));
  return name === undefined ? undefined : { name, scheme: name === "secure" ? "https" : "http" };
}
