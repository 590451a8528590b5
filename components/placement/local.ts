import * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../../lib/etcd/runtime/runtime.ts";
import { ephemeralPorts } from "../../lib/listener.ts";
import { ownProgram } from "../../lib/own-program.ts";
import type { Probe } from "../../lib/probe.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { LocalDirectory } from "../../providers/local-directory.ts";
import { LocalPreparedProcess } from "../../providers/local-prepared-process.ts";
import { LocalProcess } from "../../providers/local-process.ts";
import type { Deployment, LocalPlacement as Settings } from "../../spec/deployment.ts";
import { lastPort } from "../../spec/placement/ports.ts";
import { seconds } from "../../spec/values/units.ts";
import type { FileContents, Nearest, PlacedProcess, Placement, PreparedProcess } from "../placement.ts";
import {
  type Executable,
  filled,
  type Process,
  type Ref,
  type Text,
  type ToolchainProgram,
  urlsOf,
} from "../process.ts";
import { environmentOf } from "./environment.ts";
import { hooksHere, type HookVersions } from "./hooks.ts";
import { limitVariables } from "./limits.ts";
import { LocalPorts } from "./local-ports.ts";
import { localProbe } from "./local-probe.ts";
import { Programs } from "./programs.ts";

type Secret = pulumi.Output<string>;

/** A deployment on this machine. */
export interface OnThisMachine extends Pick<Deployment<Secret>, "name"> {
  readonly versions: HookVersions;
  readonly placement: Settings<Secret>;
}

/** Places every process on this machine, as a process of this user that a supervisor keeps running. */
export function localPlacement(deployment: OnThisMachine): Placement {
  return new LocalPlacement(deployment);
}

/**
 * Below the deployment's directory each process has a directory with its files, its data in `data/`; logs are in `logs/`.
 * Deleting a process deletes these, its data too. A program that several processes run is obtained once.
 */
class LocalPlacement extends pulumi.ComponentResource implements Placement {
  readonly hooks: NonNullable<Placement["hooks"]>;
  private readonly name: string;
  private readonly directory: string;
  private readonly address: string;
  private readonly ports: LocalPorts;
  private readonly programs: Programs;
  private readonly owned: LocalDirectory;

  constructor(deployment: OnThisMachine) {
    const { name, placement } = deployment;
    const { directory, basePort, address } = placement;
    super("karmada:placement:Local", `${name}-local`, {});
    this.name = name;
    this.directory = directory;
    this.address = address;
    this.ports = new LocalPorts(basePort);
    this.programs = new Programs(name, this);
    this.warnOfEphemeralPorts(basePort);
    this.owned = new LocalDirectory(`${name}-directory`, { directory, deployment: name }, { parent: this });
    this.hooks = hooksHere(deployment, {}, this.owned);
    this.registerOutputs({});
  }

  /** In that range it is a matter of chance whether a program finds its port free. */
  private warnOfEphemeralPorts(basePort: number): void {
    const given = ephemeralPorts();
    if (given === undefined || lastPort(basePort) < given.first || basePort > given.last) return;
    const reason = `this machine gives ports from ${given.first} to ${given.last} to outgoing connections`;
    void pulumi.log.warn(
      `placement.basePort: got ${basePort}, want another range of ports: ${reason}, and a program may find its own taken`,
      this,
    );
  }

  host(_process: string): string {
    return this.address;
  }

  port(process: string, port: string): number {
    return this.ports.number(process, port);
  }

  nearest([process = ""]: readonly string[], port: string): Nearest {
    return { host: this.address, port: this.port(process, port) };
  }

  text(process: Process, text: Text): string {
    return filled(text, (ref) => this.resolve(process, ref));
  }

  executable(program: ToolchainProgram): pulumi.Output<string> {
    return this.programs.get(program).path;
  }

  probeFromHere(process: Process): Probe {
    const port = (name: string) => this.port(process.name, name);
    return localProbe(process, this.address, port, (key) => this.paths(process).file(key));
  }

  place(
    process: Process,
    files: FileContents,
    opts: pulumi.CustomResourceOptions,
    follows?: pulumi.Output<string>,
  ): PlacedProcess {
    const { version, ...declared } = this.inputsOf(process, files);
    const resource = new LocalProcess(
      `${this.name}-${process.name}`,
      {
        ...declared,
        probe: this.probeFromHere(process),
        startSeconds: seconds(process.startDeadline),
        ...(process.dataVersion !== undefined && { dataVersion: process.dataVersion }),
        ...(follows !== undefined && { follows }),
      },
      pulumi.mergeOptions(opts, { dependsOn: this.owned }),
    );
    return { resource, version };
  }

  prepare(process: Process, files: FileContents, opts: pulumi.CustomResourceOptions): PreparedProcess {
    const { version, ...declared } = this.inputsOf(process, files);
    const resource = new LocalPreparedProcess(
      `${this.name}-${process.name}`,
      { ...declared, rereads: process.rereads ?? [] },
      pulumi.mergeOptions(opts, { dependsOn: this.owned }),
    );
    return { resource, version, revision: resource.revision };
  }

  etcdRuntime(): EtcdRuntimeAddress {
    return { kind: "local", directory: this.directory };
  }

  private inputsOf(process: Process, contents: FileContents) {
    const program = this.run(process.program);
    return {
      directory: this.directory,
      name: process.name,
      program: program.path,
      programSha256: program.sha256,
      args: [...program.args, ...process.args.map((arg) => this.text(process, arg))],
      env: { ...program.env, ...limitVariables(process.limits), ...environmentOf(this, process) },
      contents,
      address: this.address,
      ports: Object.fromEntries(process.ports.map((port) => [port, this.port(process.name, port)])),
      stopSeconds: seconds(process.stopDeadline),
      version: program.version,
    };
  }

  private resolve(process: Process, ref: Ref): string {
    switch (ref.ref) {
      case "file":
        return this.paths(process).file(ref.file);
      case "data":
        return this.paths(process).data + (ref.path === undefined ? "" : `/${ref.path}`);
      case "bind":
      case "loopback":
        return this.address;
      case "host":
        return this.host(ref.process ?? process.name);
      case "front":
        return `${this.host(ref.process)}:${this.port(ref.process, ref.port)}`;
      case "urls":
        return urlsOf(this, ref);
      case "port":
        return String(this.port(ref.process ?? process.name, ref.port));
    }
  }

  private paths(process: Process) {
    return processPaths({ directory: this.directory, name: process.name });
  }

  private run(executable: Executable): Run {
    if ("main" in executable) {
      const { command: path, sha256, version, args, env } = ownProgram(executable.main);
      return { path, sha256, args, env, version: pulumi.output(version) };
    }
    if ("installed" in executable) throw new Error(`${executable.installed} is not for a stack on one machine`);
    const { path, sha256, version } = this.programs.get(executable);
    return { path, sha256, version, args: [], env: {} };
  }
}

/** What the supervisor executes. */
interface Run {
  readonly path: pulumi.Input<string>;
  readonly sha256: pulumi.Input<string>;
  /** Arguments before the process's own. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly version: pulumi.Output<string>;
}
