import type { Props } from "./dynamic-provider.ts";

/** A kind of dynamic resource for the conformance test: inputs that pass `check`, against servers that are not there. */
export interface Sample {
  readonly inputs: Props;
  /** An input whose change makes it another thing. */
  readonly identity?: string;
}

/** A port on which nothing listens. */
const nowhere = "https://127.0.0.1:31799";

/** A kubeconfig for a server that is not there. */
export const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "sample",
  contexts: [{ name: "sample", context: { cluster: "sample", user: "sample" } }],
  clusters: [{ name: "sample", cluster: { server: nowhere } }],
  users: [{ name: "sample", user: { token: "s3cr3t-token" } }],
});

/** By the file that declares the resource. */
export const samples: Record<string, Sample> = {
  "api-ready": { inputs: { kubeconfig, timeoutSeconds: 0.3 } },
  "api-gate": { inputs: { kubeconfig, timeoutSeconds: 0.3 } },
};
