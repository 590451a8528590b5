import type * as pulumi from "@pulumi/pulumi";
import { Program } from "../../providers/program.ts";
import type { ToolchainProgram } from "../process.ts";

/** The programs of a deployment on this machine, each obtained once for all processes that run it. */
export class Programs {
  private readonly known = new Map<string, Program>();
  private readonly name: string;
  private readonly parent: pulumi.Resource;

  constructor(name: string, parent: pulumi.Resource) {
    this.name = name;
    this.parent = parent;
  }

  get({ name, version }: ToolchainProgram): Program {
    const key = `${name}-${version}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const program = new Program(`${this.name}-program-${key}`, { name, version }, { parent: this.parent });
    this.known.set(key, program);
    return program;
  }
}
