/** What a plugin author implements; service.ts turns it into the gRPC service. */
import type { Log } from "./engine.ts";
import type { Properties, ResourceReference, Value } from "./values.ts";

/** A plugin. */
export interface Provider {
  /** Package name: `random`. */
  readonly name: string;
  /** Version reported to the engine: that of the npm package of the same name (version.ts). */
  readonly version: string;
  /** The resource types by token, `random:index/randomPassword:RandomPassword`, or a function that finds one. */
  readonly resources: Readonly<Record<string, ResourceType>> | ((type: string) => ResourceType | undefined);
  /** Functions by token. @default none */
  readonly functions?: Readonly<Record<string, ProviderFunction>>;
  /** Components by token: resources that the plugin makes of others. @default none */
  readonly components?: Readonly<Record<string, Component>>;
  /** Whether the engine may send `autonaming` with checks. @default false */
  readonly autonaming?: boolean;
  /**
   * False for what the official plugin answers with false: the engine then sends secrets in clear and marks the
   * outputs of the same name as secret itself. @default true
   */
  readonly acceptSecrets?: boolean;
  /** Checks the provider's own inputs. @default accepts them as they are */
  checkConfig?(request: CheckRequest): Promise<CheckResult>;
  /** @default the engine compares the inputs and never replaces */
  diffConfig?(request: DiffRequest): Promise<Diff>;
  /** Called once, before any other request about resources. @default nothing */
  configure?(request: ConfigureRequest): Promise<void>;
  /** The package's schema as JSON. @default unimplemented */
  schema?(): Promise<string>;
  /** Called when the process ends, to end what it started; it must not wait. */
  close?(): void;
}

/** A kind of resource. Throw an Error for a failure, PartialFailure (errors.ts) when it exists but is not ready. */
export interface ResourceType {
  /** Fills in defaults and validates; runs in previews, so values may be unknown. @default the inputs as they are */
  check?(request: CheckRequest): Promise<CheckResult>;
  /** @default the engine compares old and new inputs and updates */
  diff?(request: DiffRequest): Promise<Diff>;
  create(request: CreateRequest): Promise<CreateResult>;
  /** For refresh, import and `.get`; `undefined` says it is gone. @default the state as it is */
  read?(request: ReadRequest): Promise<ReadResult | undefined>;
  /** @default an error */
  update?(request: UpdateRequest): Promise<Properties>;
  /** @default nothing */
  delete?(request: DeleteRequest): Promise<void>;
}

/** Throw InvalidArguments (errors.ts) for arguments that do not pass. */
export type ProviderFunction = (request: InvokeRequest) => Promise<Properties>;

/** What every request about a resource carries. */
export interface ResourceRequest {
  readonly urn: string;
  /** Token of the resource's type. */
  readonly type: string;
  /** The resource's logical name. */
  readonly name: string;
  /** Aborted when the deployment is cancelled or the caller went away. */
  readonly signal: AbortSignal;
  /** Writes to the user's screen, next to this resource. */
  readonly log: Log;
}

export interface CheckRequest extends ResourceRequest {
  /** The inputs of the last deployment; empty for a new resource. */
  readonly olds: Properties;
  readonly news: Properties;
  /** For random values that must be the same in preview and deployment. */
  readonly randomSeed: Uint8Array;
  readonly autonaming?: { readonly proposedName: string; readonly mode: "propose" | "enforce" | "disable" };
}
export interface CheckResult {
  readonly inputs: Properties;
  readonly failures?: readonly CheckFailure[];
}
export interface CheckFailure {
  /** Path of the input; empty when it concerns the whole. */
  readonly property: string;
  readonly reason: string;
}

export interface DiffRequest extends ResourceRequest {
  readonly id: string;
  /** The outputs in the state. */
  readonly olds: Properties;
  /** The inputs in the state. */
  readonly oldInputs: Properties;
  readonly news: Properties;
  readonly ignoreChanges: readonly string[];
}
export interface Diff {
  /** `undefined` leaves the comparison to the engine. */
  readonly changes: boolean | undefined;
  /** Top-level properties that force a replacement. */
  readonly replaces?: readonly string[];
  readonly deleteBeforeReplace?: boolean;
  /** Outputs that stay as they are in an update. */
  readonly stables?: readonly string[];
  /** Top-level properties that change. */
  readonly diffs?: readonly string[];
  /** Changes by property path, `spec.ports[0].name`. @default none, which lets the engine compare the inputs */
  readonly detailed?: Readonly<Record<string, PropertyDiff>>;
}
export interface PropertyDiff {
  readonly kind: "add" | "add-replace" | "delete" | "delete-replace" | "update" | "update-replace";
  /** Whether old and new inputs are compared, rather than old state and new inputs. @default false */
  readonly inputDiff?: boolean;
}

export interface CreateRequest extends ResourceRequest {
  readonly inputs: Properties;
  /** True in a preview: nothing may be made, unknown outputs are UNKNOWN. */
  readonly preview: boolean;
  /** In seconds, from customTimeouts; `undefined` when the user set none. */
  readonly timeout: number | undefined;
}
export interface CreateResult {
  /** Left empty in a preview. */
  readonly id: string;
  readonly outputs: Properties;
}

export interface ReadRequest extends ResourceRequest {
  readonly id: string;
  /** The outputs in the state; empty for an import. */
  readonly state: Properties;
  /** The inputs in the state; empty for an import. */
  readonly inputs: Properties;
  readonly timeout: number | undefined;
}
export interface ReadResult {
  readonly id: string;
  readonly outputs: Properties;
  readonly inputs: Properties;
}

export interface UpdateRequest extends ResourceRequest {
  readonly id: string;
  readonly olds: Properties;
  readonly oldInputs: Properties;
  readonly news: Properties;
  readonly ignoreChanges: readonly string[];
  readonly preview: boolean;
  readonly timeout: number | undefined;
}

export interface DeleteRequest extends ResourceRequest {
  readonly id: string;
  readonly state: Properties;
  readonly oldInputs: Properties;
  readonly timeout: number | undefined;
}

export interface InvokeRequest {
  readonly token: string;
  readonly args: Properties;
  readonly preview: boolean;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Registers the component's children and gives its outputs. */
export type Component = (request: ConstructRequest) => Promise<Properties>;

export interface ConstructRequest {
  readonly type: string;
  readonly name: string;
  readonly inputs: Properties;
  readonly preview: boolean;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Registers a resource of this plugin below the component, with the component's provider; waits until it is made. */
  register(child: ChildResource): Promise<ResourceReference>;
}
export interface ChildResource {
  readonly type: string;
  readonly name: string;
  readonly inputs: Properties;
  /** URNs of what must be made before and deleted after. */
  readonly dependsOn: readonly string[];
}

export interface ConfigureRequest {
  /** Absent with engines that do not say it. */
  readonly urn: string | undefined;
  readonly name: string | undefined;
  /** The provider's inputs; what is not text arrives as JSON text. */
  readonly config: { readonly [key: string]: Value };
  readonly log: Log;
}
