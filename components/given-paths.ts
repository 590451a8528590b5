import * as pulumi from "@pulumi/pulumi";
import type { FileContents } from "./placement.ts";

/**
 * Files with whole paths where one names another as `kubeConfigFile`. kube-apiserver finds what configurations and
 * kubeconfigs name beside these, but not the kubeconfig of a webhook that authorizes or admits: "must be an absolute
 * path", which differs between replicas. Source: `ValidateWebhookConfiguration` of `apiserver/validation`, and
 * `LoadConfig` of `admission/plugin/webhook/config`.
 *
 * @param pathOf where the program finds a file with this key; undefined if there is none of this name
 */
export function withGivenPaths(files: FileContents, pathOf: (name: string) => string | undefined): FileContents {
  const complete = (content: string) =>
    content.replace(kubeConfigFile, (typed: string, before: string, name: string) => {
      const path = pathOf(name);
      return path === undefined ? typed : before + path;
    });
  return Object.fromEntries(
    Object.entries(files).map(([key, content]) => [
      key,
      typeof content === "string" ? complete(content) : pulumi.output(content).apply(complete),
    ]),
  );
}

/** The field and a bare name, in YAML's forms and in JSON. */
const kubeConfigFile = /(\bkubeConfigFile["']?\s*:\s*["']?)([A-Za-z0-9][-.\w]*)(?![-./\w])/g;
