/**
 * A stack as Pulumi remembers it (sdk/go/common/apitype/core.go, `UntypedDeployment`; how it marks a secret:
 * sdk/go/common/resource/stack/deployment.go, `SerializePropertyValue`).
 */
export interface ExportedStack {
  readonly deployment?: {
    readonly resources?: readonly StateResource[];
    readonly pending_operations?: readonly { readonly type: string; readonly resource: StateResource }[];
  };
}

/** A resource as it is in the state; of a secret in clear, too, where the state was asked for with them. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly protect?: boolean;
  readonly created?: string;
  readonly modified?: string;
  /** Whether it is still to be deleted. */
  readonly delete?: boolean;
}

const signature = "4dabf18193072939515e22adb298388d";
const secret = "1b47061264138c4ac30d75fd1eb44270";

/** Something in place of each secret in a value of the state. */
export function withSecrets(value: unknown, put: (clear: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, put));
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields[signature] === secret) return put(clearOf(fields["plaintext"]));
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withSecrets(field, put)]));
}

const clearOf = (json: unknown): unknown =>
  typeof json === "string" ? withSecrets(JSON.parse(json), (clear) => clear) : undefined;

/** A value of the state as the program had it. */
export const inClear = (value: unknown): unknown => withSecrets(value, (clear) => clear);

/** All resources of a stack; none if it has never been up. */
export const resourcesOf = ({ deployment }: ExportedStack): readonly StateResource[] => deployment?.resources ?? [];

/** The outputs of a stack as the state has them; none if it has never been up. */
export const outputsOf = (state: ExportedStack): Readonly<Record<string, unknown>> =>
  resourcesOf(state).find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
