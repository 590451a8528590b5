import { DynamicResource, forwarding } from "../../../providers/dynamic.ts";

const provider = forwarding("../tests/dynamic/support/lamp-impl");

/** See lamp-impl.ts. */
export class Lamp extends DynamicResource<{ name: string; mood?: string }> {
  constructor(name: string, args: { name: string; mood?: string }) {
    super(provider, { module: "test", type: "Lamp", outputs: ["seen"], secretOutputs: ["seen"] }, name, args);
  }
}
