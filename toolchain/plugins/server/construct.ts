/** Components that a plugin makes: it registers them and their children with the engine, as a program would. */
import grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb.js";
import { channelOptions } from "./channel.ts";
import type { Log } from "./engine.ts";
import type { ChildResource, Provider } from "./provider.ts";
import { ResourceReference, UNKNOWN } from "./values.ts";
import { decode, encode } from "./wire.ts";

/** Makes the component; the answer waits for all its children, so that dependents may. */
export async function construct(
  provider: Provider,
  message: pb.ConstructRequest,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<pb.ConstructResponse> {
  const component = provider.components?.[message.getType()];
  if (component === undefined) {
    throw new Error(
      `${message.getType()}: this stand-in of the ${provider.name} plugin does not have this component\n` +
        "use the official plugin (pulumi plugin install), which has them all",
    );
  }
  const monitor = new Monitor(message.getMonitorendpoint());
  try {
    const { urn } = await monitor.register(componentRequest(message));
    const urns: string[] = [];
    const register = async (child: ChildResource) => {
      const made = await monitor.register(childRequest(provider, message, urn, child));
      urns.push(made.urn);
      const id = made.id === "" && message.getDryrun() ? UNKNOWN : made.id;
      return new ResourceReference(made.urn, id, provider.version);
    };
    const outputs = await component({
      type: message.getType(),
      name: message.getName(),
      inputs: decode(message.getInputs()),
      preview: message.getDryrun(),
      signal,
      log,
      register,
    });
    const response = new providerPb.ConstructResponse().setUrn(urn).setState(encode(outputs));
    const dependencies = new providerPb.ConstructResponse.PropertyDependencies().setUrnsList(urns);
    for (const key of Object.keys(outputs)) response.getStatedependenciesMap().set(key, dependencies);
    return response;
  } finally {
    monitor.close();
  }
}

function componentRequest(message: pb.ConstructRequest): RegisterResourceRequest {
  const request = started(message.getType(), message.getName())
    .setParent(message.getParent())
    .setDependenciesList(message.getDependenciesList())
    .setAliasesList(message.getAliasesList())
    .setAliasspecs(true)
    .setDeletedwith(message.getDeletedwith())
    .setIgnorechangesList(message.getIgnorechangesList())
    .setReplaceonchangesList(message.getReplaceonchangesList());
  if (message.hasProtect()) request.setProtect(message.getProtect()!);
  if (message.hasRetainondelete()) request.setRetainondelete(message.getRetainondelete()!);
  for (const [name, reference] of message.getProvidersMap().entries()) request.getProvidersMap().set(name, reference);
  return request;
}

function childRequest(
  { name, version }: Provider,
  message: pb.ConstructRequest,
  parent: string,
  child: ChildResource,
): RegisterResourceRequest {
  const request = started(child.type, child.name)
    .setParent(parent)
    .setCustom(true)
    .setObject(encode(child.inputs))
    .setDependenciesList([...child.dependsOn])
    .setVersion(version);
  const reference = message.getProvidersMap().get(name);
  if (reference) request.setProvider(reference);
  if (message.hasProtect()) request.setProtect(message.getProtect()!);
  return request;
}

function started(type: string, name: string): RegisterResourceRequest {
  return new resourcePb.RegisterResourceRequest()
    .setType(type)
    .setName(name)
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setSupportspartialvalues(true);
}

class Monitor {
  readonly #client: InstanceType<typeof resourceGrpc.ResourceMonitorClient>;

  constructor(address: string) {
    this.#client = new resourceGrpc.ResourceMonitorClient(address, grpc.credentials.createInsecure(), channelOptions);
  }

  register(request: RegisterResourceRequest): Promise<{ urn: string; id: string }> {
    return new Promise((resolve, reject) =>
      this.#client.registerResource(request, (error: Error | null, response: RegisterResourceResponse) => {
        if (error) reject(error);
        else resolve({ urn: response.getUrn(), id: response.getId() });
      }),
    );
  }

  close(): void {
    this.#client.close();
  }
}
