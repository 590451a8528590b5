import * as pulumi from "@pulumi/pulumi";
import type { PlacedProcess, Placement, PreparedProcess } from "../../../components/placement.ts";
import { urlsOf, type Process, type Text } from "../../../components/process.ts";

/** A placement that places nothing: hosts are `<process>.test`, ports `<name of the port>` of a made-up number. */
export function fakePlacement(place?: Placement["place"], prepare?: Placement["prepare"]): Placement {
  return {
    host: (process) => `${process}.test`,
    port,
    nearest: ([process = ""], name) => ({ host: `${process}.test`, port: port(process, name) }),
    text: resolveText,
    executable: ({ name, version }) => pulumi.output(`/programs/${name}-${version}`),
    place:
      place ??
      ((): PlacedProcess => {
        throw new Error("nothing is placed here");
      }),
    prepare:
      prepare ??
      ((): PreparedProcess => {
        throw new Error("nothing is prepared here");
      }),
    etcdRuntime: () => ({ kind: "local", directory: "/state/test" }),
  };
}

const portNumbers: Readonly<Record<string, number>> = {
  client: 2379,
  peer: 2380,
  etcd: 2383,
  events: 2385,
  metrics: 8080,
  secure: 6443,
  health: 10357,
  server: 10247,
  http: 10080,
  grpc: 10352,
  "karmada-aggregated-apiserver": 5464,
  "karmada-search": 5465,
  "karmada-metrics-adapter": 5466,
  "karmada-webhook": 8463,
};

function port(_process: string, name: string): number {
  const number = portNumbers[name];
  if (number === undefined) throw new Error(`no number for port ${name}`);
  return number;
}

/** Files lie in `/files`, data in `/data`; it is bound to 127.0.0.1. */
export function resolveText(process: Process, text: Text): string {
  if (typeof text === "string") return text;
  return text
    .map((piece) => {
      if (typeof piece === "string") return piece;
      switch (piece.ref) {
        case "file":
          if (!Object.keys(process.files).some((path) => path === piece.file || path.startsWith(`${piece.file}/`)))
            throw new Error(`${process.name} has no file ${piece.file}`);
          return `/files/${piece.file}`;
        case "data":
          return piece.path === undefined ? "/data" : `/data/${piece.path}`;
        case "bind":
        case "loopback":
          return "127.0.0.1";
        case "host":
          return `${piece.process ?? process.name}.test`;
        case "front":
          return `${piece.process}.test:${port(piece.process, piece.port)}`;
        case "urls":
          return urlsOf({ host: (process) => `${process}.test`, port }, piece);
        case "port":
          if (piece.process === undefined && !process.ports.includes(piece.port))
            throw new Error(`${process.name} has no port ${piece.port}`);
          return String(port(piece.process ?? process.name, piece.port));
      }
    })
    .join("");
}

/** The command line of a process. */
export const commandLine = (process: Process): string[] => process.args.map((arg) => resolveText(process, arg));
