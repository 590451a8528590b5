import type { HostProbe } from "../../lib/hosts/probe.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { probeFiles } from "./probe-files.ts";

/** A process's probe as made on its own host. */
export function hostsProbe(process: Process, port: (name: string) => number): HostProbe {
  const { probe } = process;
  switch (probe.kind) {
    case "tcp":
      return { kind: "tcp", port: port(probe.port) };
    case "http":
      return {
        kind: "http",
        scheme: probe.scheme,
        port: port(probe.port),
        path: probe.path,
        ...(probe.answersWithin !== undefined && { answerSeconds: seconds(probe.answersWithin) }),
        ...probeFiles(process, probe),
      };
    case "active":
      return probe;
  }
}
