import * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { programPath } from "../../lib/hosts/layout.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { HostProgram } from "../../providers/host-program.ts";
import type { Process, ToolchainProgram } from "../process.ts";
import { Programs } from "./programs.ts";

/** What systemd is to execute, and what brings it to the host. */
export interface Run {
  readonly program: string;
  readonly programSha256: pulumi.Input<string>;
  /** What stands before the process's own. */
  readonly args: readonly string[];
  /** Of its unit. */
  readonly settings: NonNullable<Process["unitSettings"]>;
  readonly version: pulumi.Output<string>;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** The programs of a deployment on its hosts: each is sent once to each host that runs it. */
export class HostsPrograms {
  private readonly name: string;
  private readonly addressOf: (host: string) => pulumi.Output<HostAddress>;
  private readonly opts: pulumi.CustomResourceOptions;
  private readonly programs: Programs;
  private readonly sent = new Map<string, HostProgram>();

  /** `name`: of the deployment. */
  constructor(
    name: string,
    addressOf: (host: string) => pulumi.Output<HostAddress>,
    opts: pulumi.CustomResourceOptions & { readonly parent: pulumi.Resource },
  ) {
    this.name = name;
    this.addressOf = addressOf;
    this.opts = opts;
    this.programs = new Programs(name, opts.parent);
  }

  run(host: string, { program }: Process): Run {
    if ("main" in program) return this.runOwn(host, program.main);
    if ("installed" in program) {
      const version = pulumi.output("of the host");
      return { program: program.installed, programSha256: "", args: [], settings: {}, version, dependsOn: [] };
    }
    const { sha256, version } = this.programs.get(program);
    const dependsOn = [this.send(host, this.obtained(program))];
    return { program: program.name, programSha256: sha256, args: [], settings: {}, version, dependsOn };
  }

  /** Where the program lies on the host. */
  path(host: string, program: ToolchainProgram): pulumi.Output<string> {
    return this.send(host, this.obtained(program)).path;
  }

  /** Node.js and one file that has all it needs go to the host. */
  private runOwn(host: string, main: string): Run {
    const { node, file, args, version } = bundledProgram(main);
    const sent = [node, file].map((each) => this.send(host, each));
    return {
      program: node.name,
      programSha256: node.sha256,
      args: [...args, programPath(file.sha256, file.name)],
      settings: ownProgramSettings,
      version: pulumi.output(version),
      dependsOn: sent,
    };
  }

  private obtained({ name, version }: ToolchainProgram): Sendable {
    const { sha256, path } = this.programs.get({ name, version });
    return { name, sha256, path };
  }

  /** Named without its version: a new one is put beside the old one, which is kept. */
  private send(host: string, { name: program, sha256, path }: Sendable): HostProgram {
    const name = `${this.name}-${host}-${program}`;
    const args = { host: this.addressOf(host), name: program, sha256, source: path };
    const sent = this.sent.get(name) ?? new HostProgram(name, args, this.opts);
    this.sent.set(name, sent);
    return sent;
  }
}

/** A program on this machine, to be brought to hosts. */
interface Sendable {
  readonly name: string;
  readonly sha256: pulumi.Input<string>;
  readonly path: pulumi.Input<string>;
}

/** Node.js makes machine code while it runs. */
const ownProgramSettings = { MemoryDenyWriteExecute: ["no"] };
