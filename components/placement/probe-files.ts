import type { FileSource, Process } from "../process.ts";

type HttpProbe = Extract<Process["probe"], { kind: "http" }>;

/** The keys of those files of a process that its probe needs, as far as it has them. */
export function probeFiles({ files }: Process, { authority, certificate }: HttpProbe) {
  const find = (matches: (source: FileSource) => boolean) => Object.keys(files).find((key) => matches(files[key]!));
  const found = {
    ca: find((file) => file.from === "authority" && file.authority === authority),
    certificate: find((file) => file.from === "certificate" && file.certificate === certificate),
    key: find((file) => file.from === "private-key" && file.certificate === certificate),
  };
  return Object.fromEntries(Object.entries(found).filter(([, key]) => key !== undefined)) as {
    readonly [K in keyof typeof found]?: string;
  };
}
