import type { Probe } from "../../lib/probe.ts";
import type { FileSource, Process } from "../process.ts";

/** A process's probe as this machine asks it; certificates are those among the process's own files. */
export function localProbe(process: Process, address: string, port: number, path: (key: string) => string): Probe {
  const { probe } = process;
  switch (probe.kind) {
    case "tcp":
      return { kind: "tcp", host: address, port };
    case "http": {
      const find = (matches: (source: FileSource) => boolean) => {
        const key = Object.keys(process.files).find((key) => matches(process.files[key]!));
        return key === undefined ? undefined : path(key);
      };
      const { authority, certificate } = probe;
      const caFile = find((file) => file.from === "authority" && file.authority === authority);
      const certFile = find((file) => file.from === "certificate" && file.certificate === certificate);
      const keyFile = find((file) => file.from === "private-key" && file.certificate === certificate);
      return {
        kind: "http",
        url: `${probe.scheme}://${address}:${port}${probe.path}`,
        ...(caFile !== undefined && { caFile }),
        ...(certFile !== undefined && { certFile }),
        ...(keyFile !== undefined && { keyFile }),
      };
    }
  }
}
