import * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../../lib/hosts/address.ts";
import type { Mirror } from "../../lib/hosts/download-script.ts";
import { programPath } from "../../lib/hosts/layout.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { HostPrograms } from "../../providers/host-programs.ts";
import type { Process, ToolchainProgram } from "../process.ts";
import { Programs } from "./programs.ts";

/** What systemd executes, and the resource that brings it to the host. */
export interface Run {
  readonly program: string;
  readonly programSha256: pulumi.Input<string>;
  /** Arguments before the process's own. */
  readonly args: readonly string[];
  /** Settings of its systemd unit, by key. */
  readonly settings: NonNullable<Process["unitSettings"]>;
  readonly version: pulumi.Output<string>;
  readonly dependsOn: readonly pulumi.Resource[];
}

/**
 * The programs of a deployment on its hosts: each is sent once to each host that runs it, with one resource per host.
 */
export class HostsPrograms {
  private readonly name: string;
  private readonly addressOf: (host: string) => pulumi.Output<HostAddress>;
  private readonly mirror: Mirror | undefined;
  private readonly opts: pulumi.CustomResourceOptions;
  private readonly programs: Programs;
  private readonly sent = new Map<string, HostPrograms>();
  /** By host, while more may be added. */
  private readonly gathering = new Map<string, Gathering>();

  /** `name`: of the deployment. */
  constructor(
    name: string,
    addressOf: (host: string) => pulumi.Output<HostAddress>,
    mirror: Mirror | undefined,
    opts: pulumi.CustomResourceOptions & { readonly parent: pulumi.Resource },
  ) {
    this.name = name;
    this.addressOf = addressOf;
    this.mirror = mirror;
    this.opts = opts;
    this.programs = new Programs(name, opts.parent, { runsElsewhere: true });
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
    const { programs } = this.send(host, this.obtained(program));
    return programs.apply((digests) => programPath(digests[program.name]!, program.name));
  }

  /** Node.js and one self-contained file are sent to the host. */
  private runOwn(host: string, main: string): Run {
    const { node, file, args, version } = bundledProgram(main);
    const sent = [node, file].map((each) => this.send(host, each));
    return {
      program: node.name,
      programSha256: node.sha256,
      args: [...args, programPath(file.sha256, file.name)],
      settings: ownProgramSettings,
      version: pulumi.output(version),
      dependsOn: [...new Set(sent)],
    };
  }

  private obtained({ name, version }: ToolchainProgram): Sendable {
    const { sha256, path } = this.programs.get({ name, version });
    return { name, sha256, path };
  }

  /** Named without its version: a new one is placed beside the old one, which is kept. */
  private send(host: string, program: Sendable): HostPrograms {
    const key = `${host}/${program.name}`;
    const sent = this.sent.get(key);
    if (sent !== undefined) return sent;
    const { all, resource } = this.gathering.get(host) ?? this.gather(host, program.name);
    all.set(program.name, program);
    this.sent.set(key, resource);
    return resource;
  }

  /** Everything the stack's program asks for in one go shares a resource; later requests get their own. */
  private gather(host: string, first: string): Gathering {
    const all = new Map<string, Sendable>();
    const isLater = [...this.sent.keys()].some((key) => key.startsWith(`${host}/`));
    const whole = new Promise<readonly Sendable[]>((resolve) => {
      setImmediate(() => {
        this.gathering.delete(host);
        resolve([...all.values()]);
      });
    });
    const each = (value: (program: Sendable) => pulumi.Input<string>) =>
      pulumi.output(whole.then((programs) => Object.fromEntries(programs.map((one) => [one.name, value(one)]))));
    const resource = new HostPrograms(
      `${this.name}-${host}-programs${isLater ? `-${first}` : ""}`,
      {
        host: this.addressOf(host),
        programs: each(({ sha256 }) => sha256),
        sources: each(({ path }) => path),
        ...(this.mirror && { mirror: this.mirror }),
      },
      this.opts,
    );
    const gathering = { all, resource };
    this.gathering.set(host, gathering);
    return gathering;
  }
}

/** What is to be sent to a host, while it grows. */
interface Gathering {
  readonly all: Map<string, Sendable>;
  readonly resource: HostPrograms;
}

/** A program on this machine, to be brought to hosts. */
interface Sendable {
  readonly name: string;
  readonly sha256: pulumi.Input<string>;
  readonly path: pulumi.Input<string>;
}

/** Node.js makes machine code while it runs. */
const ownProgramSettings = { MemoryDenyWriteExecute: ["no"] };
