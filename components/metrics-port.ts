import type { Process } from "./process.ts";

/**
 * Names of ports that serve metrics, in order of preference: a dedicated one, that of our programs and of haproxy, or
 * the one that requires a certificate or a token.
 */
export const metricsPorts: readonly string[] = ["metrics", "http", "secure"];

/** The port on which a process is asked for metrics, and how; undefined if it has none. */
export function metricsPort({
  ports,
}: Process): { readonly name: string; readonly scheme: "http" | "https" } | undefined {
  const name = metricsPorts.find((port) => ports.includes(port));
  return name === undefined ? undefined : { name, scheme: name === "secure" ? "https" : "http" };
}
