import { PartialFailure } from "../../../toolchain/plugins/server/errors.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { startApiServer } from "../../support/api-server.ts";
import { startPlugin, type Plugin } from "../support/plugin.ts";
import { playPods } from "./pods.ts";

/** The plugin against a real API server with controllers, for the tests of one file. */
export interface Setup {
  readonly plugin: Plugin;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** @param pods also starts what makes pods run. @default false */
export async function setUp(config: Properties = {}, { pods = false } = {}): Promise<Setup> {
  const server = await startApiServer({ controllerManager: true });
  try {
    if (pods) await playPods(server);
    const plugin = await startPlugin("kubernetes", { config: { kubeconfig: server.kubeconfig, ...config } });
    const stop = async () => {
      await plugin[Symbol.asyncDispose]();
      await server.stop();
    };
    return { plugin, kubeconfig: server.kubeconfig, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** An object of the namespace `default`. */
export function object(apiVersion: string, kind: string, name: string, fields: Properties, metadata: Properties = {}) {
  return { apiVersion, kind, metadata: { name, namespace: "default", ...metadata }, ...fields };
}

/** A kind of `example.com` in namespaces, whose objects may hold anything. */
export function widgets() {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "Widget", plural: "widgets" }, versions },
  };
}

/** How something failed that came into being all the same. */
export async function failure(work: Promise<unknown>): Promise<PartialFailure> {
  const error = await work.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PartialFailure);
  return error as PartialFailure;
}
