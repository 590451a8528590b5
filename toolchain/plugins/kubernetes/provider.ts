import { packageVersion } from "../server/index.ts";
import type { Provider, ResourceType } from "../server/index.ts";
import { check } from "./check.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { diff } from "./diff.ts";
import { checkConfig, diffConfig } from "./provider-config.ts";
import { read } from "./read.ts";
import { Session } from "./session.ts";
import { parseSettings } from "./settings.ts";
import { update } from "./update.ts";
import { configFile, configGroup } from "./yaml/config-group.ts";
import { decodeYaml } from "./yaml/decode.ts";

/** The stand-in of the kubernetes plugin: one way for every kind, built-in or custom. */
export function kubernetesProvider(): Provider {
  let session: Session | undefined;
  const configured = (): Session => {
    if (session === undefined) throw new Error("the kubernetes provider was not configured");
    return session;
  };
  const object: ResourceType = {
    check: (request) => check(configured(), request),
    diff: (request) => diff(configured(), request),
    create: (request) => create(configured(), request),
    read: (request) => read(configured(), request),
    update: (request) => update(configured(), request),
    delete: (request) => remove(configured(), request),
  };
  return {
    name: "kubernetes",
    version: packageVersion("@pulumi/kubernetes"),
    resources: (type) => (isObjectType(type) ? object : undefined),
    components: {
      "kubernetes:yaml/v2:ConfigFile": (request) => configFile(configured(), request),
      "kubernetes:yaml/v2:ConfigGroup": (request) => configGroup(configured(), request),
    },
    functions: { "kubernetes:yaml:decode": (request) => decodeYaml(configured(), request) },
    autonaming: true,
    checkConfig,
    diffConfig,
    async configure({ config }) {
      session = await Session.open(parseSettings(config));
    },
  };
}

/** Charts, releases and directories of kustomize are programs of their own in the official plugin, not objects. */
function isObjectType(type: string): boolean {
  return /^kubernetes:[^:/]+\/[^:/]+:[^:]+$/.test(type) && !/^kubernetes:(helm\.sh|yaml|kustomize)\//.test(type);
}
