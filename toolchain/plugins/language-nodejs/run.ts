import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import type { RunRequest, RunResponse } from "@pulumi/pulumi/proto/language_pb.js";
import { optionsEnvironment, parseOptions } from "./options.ts";
import { locateModule } from "./locate-module.ts";
import { runNode } from "./run-node.ts";

/** The SDK's exit code for "the user has been told what is wrong". */
const BAIL = 32;

/** Runs the program to its end; what it prints goes to the user, what it registers to the engine. */
export async function run(request: RunRequest, engine: string, signal: AbortSignal): Promise<RunResponse> {
  const response = new languagePb.RunResponse();
  try {
    const { code, outOfMemory } = await runNode(commandLine(request, engine), environment(request), signal);
    if (code === 0) return response;
    if (code === BAIL) return response.setBail(true);
    return response.setError(`Program exited with non-zero exit code: ${code}${outOfMemory ? `. ${MORE_MEMORY}` : ""}`);
  } catch (error) {
    return response.setError((error as Error).message);
  }
}

const MORE_MEMORY =
  "Detected a possible out of memory error. Consider increasing the memory available to the nodejs process " +
  "by setting the `nodeargs` runtime option in Pulumi.yaml to `nodeargs: --max-old-space-size=<size>` where " +
  "`<size>` is the maximum memory in megabytes that can be allocated to nodejs. " +
  "See https://www.pulumi.com/docs/concepts/projects/project-file/#runtime-options";

/** The arguments of node: its own options, the SDK's entry point, what that needs to know, the program. */
function commandLine(request: RunRequest, engine: string): string[] {
  const info = request.getInfo()!;
  const entry = process.env["PULUMI_LANGUAGE_NODEJS_RUN_PATH"] || "@pulumi/pulumi/cmd/run";
  const named = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": info.getRootDirectory(),
    stack: request.getStack(),
    pwd: info.getProgramDirectory(),
  };
  return [
    ...parseOptions(info.getOptions()?.toJavaScript() ?? {}).nodeargs,
    locateModule(entry, info.getProgramDirectory(), "pulumi install"),
    ...Object.entries(named).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value])),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    "--parallel",
    String(request.getParallel()),
    info.getEntryPoint(),
    ...request.getArgsList(),
  ];
}

/** Configuration is passed in the environment, also with the keys of old SDKs: `ns:config:key`. */
function environment(request: RunRequest): NodeJS.ProcessEnv {
  const config: Record<string, string> = {};
  for (const [key, value] of request.getConfigMap().toArray() as [string, string][]) {
    const [namespace, ...name] = key.split(":");
    config[`${namespace}:config:${name.join(":")}`] = value;
  }
  return {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...optionsEnvironment(parseOptions(request.getInfo()?.getOptions()?.toJavaScript() ?? {})),
  };
}
