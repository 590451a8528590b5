import type * as pulumi from "@pulumi/pulumi";
import { Program, type ProgramInputs } from "../../providers/program.ts";
import type { ToolchainProgram } from "../process.ts";

/** The programs of a deployment on this machine, each obtained once for all processes that run it. */
export class Programs {
  private readonly known = new Map<string, Program>();
  private readonly name: string;
  private readonly parent: pulumi.Resource;
  private readonly where: Pick<ProgramInputs, "runsElsewhere">;

  /** @param where set if they run elsewhere @default on this machine */
  constructor(name: string, parent: pulumi.Resource, where: Pick<ProgramInputs, "runsElsewhere"> = {}) {
    this.name = name;
    this.parent = parent;
    this.where = where;
  }

  get({ name, version }: ToolchainProgram): Program {
    const key = `${name}-${version}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const args = { name, version, ...this.where };
    const program = new Program(`${this.name}-program-${key}`, args, { parent: this.parent });
    this.known.set(key, program);
    return program;
  }
}
