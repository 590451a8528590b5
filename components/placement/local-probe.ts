import type { Probe } from "../../lib/probe.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { probeFiles } from "./probe-files.ts";

/** A process's probe as made on this machine; certificates are among the process's own files. */
export function localProbe(
  process: Process,
  address: string,
  port: (name: string) => number,
  path: (key: string) => string,
): Probe {
  const { probe } = process;
  switch (probe.kind) {
    case "tcp":
      return { kind: "tcp", host: address, port: port(probe.port) };
    case "http": {
      const { ca, certificate, key } = probeFiles(process, probe);
      return {
        kind: "http",
        url: `${probe.scheme}://${address}:${port(probe.port)}${probe.path}`,
        ...(probe.answersWithin !== undefined && { answerSeconds: seconds(probe.answersWithin) }),
        ...(ca !== undefined && { caFile: path(ca) }),
        ...(certificate !== undefined && { certFile: path(certificate) }),
        ...(key !== undefined && { keyFile: path(key) }),
      };
    }
    case "active":
      throw new Error(`${process.name}: it tells systemd when it serves, and nobody else`);
  }
}
