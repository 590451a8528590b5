import * as pulumi from "@pulumi/pulumi";
import { deserializeProperties } from "@pulumi/pulumi/runtime/index.js";

/** A resource as the program registered it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  /** What is secret is marked by the SDK's signature. */
  readonly inputs: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** Names of resources. */
  readonly parent: string;
  readonly parentUrn: string;
  /** By what else the engine may know it, as far as that is declared. */
  readonly aliases: readonly { readonly type: string; readonly name: string; readonly parentUrn: string }[];
  readonly dependsOn: readonly string[];
  /** Of which resources an input is made, by the input. */
  readonly madeOf: Readonly<Record<string, readonly string[]>>;
  readonly deletedWith: string;
  readonly deleteBeforeReplace: boolean;
  readonly retainOnDelete: boolean;
  readonly protect: boolean;
}

type Answers = Readonly<Record<string, (inputs: Record<string, unknown>) => object>>;

/** What certificates and keys are, where only that they are there counts. */
export const ofPki: Answers = {
  "tls:index/privateKey:PrivateKey": () => ({ privateKeyPem: "KEY", publicKeyPem: "PUBLIC" }),
  "tls:index/selfSignedCert:SelfSignedCert": () => ({ certPem: "CA", validityEndTime: "2036-01-01T00:00:00Z" }),
  "tls:index/certRequest:CertRequest": () => ({ certRequestPem: "REQUEST" }),
  "tls:index/locallySignedCert:LocallySignedCert": () => ({ certPem: "CERT", validityEndTime: "2027-01-01T00:00:00Z" }),
};

/** A cluster that serves, where only that it does counts. */
export const ofEtcd: Answers = {
  "pulumi-nodejs:dynamic/etcd:EtcdHealth": () => ({ clusterId: "c1", members: [] }),
  "pulumi-nodejs:dynamic/etcd:EtcdMembership": () => ({ memberStates: [] }),
};

/** Answers for the engine: outputs are the inputs and what `answers` adds by type. Gives what was registered, in order. */
export async function withMocks(answers: Answers = {}): Promise<readonly Registered[]> {
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => ({ id: `${name}-id`, state: { ...inputs, ...answers[type]?.(inputs) } }),
    call: ({ inputs }) => inputs,
  });
  const registered: Registered[] = [];
  // The mocks are not told of parents and dependencies; the monitor below them is.
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, callback) => {
    registered.push({
      type: request.getType(),
      name: request.getName(),
      inputs: deserializeProperties(request.getObject()),
      parent: nameOf(request.getParent()),
      parentUrn: request.getParent(),
      aliases: request.getAliasesList().flatMap((alias) => {
        const spec = alias.getSpec();
        return spec === undefined
          ? []
          : [{ type: spec.getType(), name: spec.getName(), parentUrn: spec.getParenturn() }];
      }),
      dependsOn: request.getDependenciesList().map(nameOf).sort(),
      madeOf: Object.fromEntries(
        [...request.getPropertydependenciesMap().entries()].map(([key, made]) => [key, made.getUrnsList().map(nameOf)]),
      ),
      deletedWith: nameOf(request.getDeletedwith()),
      deleteBeforeReplace: request.getDeletebeforereplace(),
      retainOnDelete: request.getRetainondelete() ?? false,
      protect: request.getProtect() ?? false,
    });
    return register(request, callback);
  };
  return registered;
}

/** The value of an output. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> =>
  new Promise((resolve) => output.apply((value) => resolve(value as T)));

/** Waits until everything that was declared is registered. */
export async function settled(): Promise<void> {
  await pulumi.runtime.disconnect();
}

interface Monitor {
  registerResource(request: Request, callback: unknown): unknown;
}

interface Request {
  getType(): string;
  getName(): string;
  getObject(): never;
  getParent(): string;
  getAliasesList(): { getSpec(): { getType(): string; getName(): string; getParenturn(): string } | undefined }[];
  getDependenciesList(): string[];
  getPropertydependenciesMap(): { entries(): Iterable<[string, { getUrnsList(): string[] }]> };
  getDeletedwith(): string;
  getDeletebeforereplace(): boolean;
  getRetainondelete(): boolean | undefined;
  getProtect(): boolean | undefined;
}

const nameOf = (urn: string): string => urn.split("::").at(-1) ?? "";
