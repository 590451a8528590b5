import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { clusterIdOfLog, shownBytes } from "../wal.ts";
import { labelOf, type HostAddress } from "../../hosts/address.ts";
import type { Host } from "../../hosts/host.ts";
import { hostAt } from "../../hosts/hosts.ts";
import { hostProcessPaths, userOf } from "../../hosts/layout.ts";
import { parseSaid, say } from "../../hosts/process.ts";
import { replaceFile } from "../../hosts/replace-files.ts";
import { copy, receiveFile } from "../../hosts/program.ts";
import { quote } from "../../hosts/quote.ts";
import {
  type DataDirectory,
  type FoundData,
  making,
  namesNoCluster,
  restoreArguments,
  restoreSeconds,
} from "./data-directory.ts";
import { digestOf } from "./snapshot-file.ts";
import { markerFile } from "./marker.ts";
import type { MemberRestore } from "./member-files.ts";

/** The data of a member on a host. What a restore needs there is brought along and removed again. */
export class HostDataDirectory implements DataDirectory {
  readonly label: string;
  readonly #host: Host;
  readonly #data: string;
  readonly #member: string;

  constructor(address: HostAddress, member: string) {
    this.#host = hostAt(address);
    this.#data = hostProcessPaths(member).data;
    this.#member = member;
    this.label = `${labelOf(address)}: ${this.#data}`;
  }

  async look(): Promise<FoundData> {
    const script = [
      say,
      `cd ${this.#data} 2>/dev/null || return 0`,
      `[ -f ${markerFile} ] && say marker "$(base64 -w0 <${markerFile})"`,
      `for number in [1-9]*; do`,
      `  case "$number" in *[!0-9]*) continue ;; esac`,
      `  say data "$number ${beginningOfLog("$number")}"`,
      `done`,
    ];
    const said = parseSaid(await this.#host.run(`looking at the data of ${this.#member}`, script.join("\n")));
    const marker = said.find(([key]) => key === "marker")?.[1];
    const incarnations = said
      .filter(([key]) => key === "data")
      .map(([, value]) => {
        const [number, log = ""] = value.split(" ");
        const clusterId = clusterIdOfLog(decoded(log));
        return { number: Number(number), ...(clusterId !== undefined && { clusterId }) };
      });
    return {
      ...(marker !== undefined && { marker: decoded(marker).toString("utf8") }),
      incarnations: incarnations.sort((a, b) => a.number - b.number),
    };
  }

  async make(work: MemberRestore): Promise<string> {
    const { brought, etcdutl, snapshot } = this.#paths();
    try {
      await this.#bring(work.etcdutl, etcdutl, "700");
      await this.#bring(work.file, snapshot, "600");
      const clusterId = clusterIdOfLog(decoded(await this.#restore(work)));
      if (clusterId === undefined) throw namesNoCluster(work);
      await work.proved;
      return clusterId;
    } finally {
      await this.#host.run("cleaning up", `rm -rf ${brought}`).catch(() => undefined);
    }
  }

  /** Both with one script, which runs again from its start when the link breaks: what is in place by then stays. */
  async place(incarnation: number, marker: string): Promise<void> {
    const { made } = this.#paths();
    const user = userOf("etcd");
    const script = [
      `[ ! -d ${this.#data}/${incarnation} ] || return 0`,
      `chown -R ${user}:${user} ${made}`,
      this.#markerScript(marker),
      `mv -T ${made} ${this.#data}/${incarnation}`,
    ];
    await this.#host.run(`putting the restored data of ${this.#member} in their place`, script.join("\n"));
  }

  async writeMarker(text: string): Promise<void> {
    await this.#host.run(`noting the restore of ${this.#member}`, this.#markerScript(text));
  }

  async copyDatabase(incarnation: number, to: string): Promise<void> {
    const database = `${this.#data}/${incarnation}/member/snap/db`;
    const sink = () => createWriteStream(to, { mode: 0o600 });
    await this.#host.fetch(`copying the database of ${this.#member}`, `cat ${database}`, sink, longest);
  }

  #markerScript(text: string): string {
    return replaceFile(`${this.#data}/${markerFile}`, text, "600", "root:root");
  }

  /** On the disk of the data, where there is room. */
  async #bring(file: string, to: string, mode: string): Promise<void> {
    const { brought } = this.#paths();
    const sent = { bytes: (await stat(file)).size, mode, write: copy(await digestOf(file)) };
    const script = `install -d -m 700 ${brought}\n${receiveFile(to, sent)}`;
    await this.#host.send(`sending what restores ${this.#member}`, script, () => createReadStream(file), longest);
  }

  /**
   * After a broken link it runs again, while the previous one may still be at work. @returns the beginning of the log,
   * as base64
   */
  async #restore(work: MemberRestore): Promise<string> {
    const { brought, etcdutl, snapshot, made } = this.#paths();
    const args = restoreArguments(work, snapshot, made).map(quote).join(" ");
    const script = [
      `exec 9>${brought}/lock`,
      `flock 9`,
      `rm -rf ${made}`,
      `${etcdutl} ${args} >${brought}/log 2>&1 || { tail -n 3 ${brought}/log >&2; exit 1; }`,
      `echo "${beginningOfLog(made)}"`,
    ];
    return (await this.#host.run(`etcdutl snapshot restore for ${work.member}`, script.join("\n"), longest)).trim();
  }

  #paths() {
    const brought = `${this.#data}/.brought`;
    return {
      brought,
      etcdutl: `${brought}/etcdutl`,
      snapshot: `${brought}/snapshot.db`,
      made: `${this.#data}/${making}`,
    };
  }
}

const longest = { seconds: restoreSeconds };
const decoded = (base64: string): Buffer => Buffer.from(base64, "base64");

/** As base64; empty when there is none. */
const beginningOfLog = (directory: string): string =>
  `$(ls ${directory}/member/wal/*.wal 2>/dev/null | sort | head -n 1 | xargs -r head -c ${shownBytes} | base64 -w0)`;
