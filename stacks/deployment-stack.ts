import * as pulumi from "@pulumi/pulumi";

/** The outputs of a deployment's stack, for other stacks. */
export class DeploymentStack {
  readonly name: string;
  readonly #reference: pulumi.StackReference;
  readonly #field: string;

  /** @param field where the name was typed, for errors. @param key what the reference is called among the resources */
  constructor(typed: string, field: string, key = "deployment") {
    this.name = wholeName(typed);
    this.#field = field;
    this.#reference = new pulumi.StackReference(key, { name: this.name });
  }

  /** The value of one of its outputs, before there is any resource; undefined when there is none of that name. */
  async value(name: string): Promise<unknown> {
    const { value, secretValue } = await this.#reference.getOutputDetails(name);
    return (value ?? secretValue) as unknown;
  }

  /** The value of one of its outputs, before there is any resource; throws when there is none of that name. */
  async required<T>(name: string): Promise<T> {
    return this.#found<T>(name, await this.value(name));
  }

  /** One of its outputs; a run ends with an error when there is none of that name. */
  output<T>(name: string): pulumi.Output<T> {
    return this.#reference.getOutput(name).apply((value: unknown) => this.#found<T>(name, value));
  }

  #found<T>(name: string, value: unknown): T {
    if (value !== undefined) return value as T;
    throw new pulumi.RunError(
      `${this.#field}: the stack ${this.name} has no output ${name}\nbring it up with this version of the program first`,
    );
  }
}

/** With organization and project, as a reference wants it. */
export function wholeName(typed: string): string {
  const parts = typed.split("/");
  const whole = [pulumi.getOrganization(), pulumi.getProject()].slice(0, 3 - parts.length);
  return [...whole, ...parts].join("/");
}
