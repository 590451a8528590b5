import type { Calls } from "./calls.ts";
import type { Engine } from "./engine.ts";
import type { Provider, ResourceRequest } from "./provider.ts";

/** A provider that is being served. */
export interface Serving {
  readonly provider: Provider;
  /** Where it logs. */
  readonly engine: Engine;
  readonly calls: Calls;
}

/** What a message is about, and where to log what is said of it. */
export function aboutResource(
  request: { getUrn(): string; getType(): string; getName(): string },
  signal: AbortSignal,
  engine: Engine,
): ResourceRequest {
  const urn = request.getUrn();
  // urn:pulumi:stack::project::parentType$type::name, for engines that leave type and name out
  const [, , types = "", ...name] = urn.split("::");
  return {
    urn,
    type: request.getType() || (types.split("$").at(-1) ?? ""),
    name: request.getName() || name.join("::"),
    signal,
    log: engine.log(urn),
  };
}
