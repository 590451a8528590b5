import { spawn } from "node:child_process";
import type grpc from "@grpc/grpc-js";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import type { RunPluginRequest, RunPluginResponse } from "@pulumi/pulumi/proto/language_pb.js";
import { toServiceError } from "../server/errors.ts";
import { locateModule } from "./locate-module.ts";
import { optionsEnvironment, parseOptions } from "./options.ts";
import { PolicyProxy } from "./policy-proxy.ts";

type Call = grpc.ServerWritableStream<RunPluginRequest, RunPluginResponse>;

/** Runs a policy pack or a plugin that is a Node.js program, streaming what it prints to the engine. */
export function runPlugin(call: Call): void {
  const end = new AbortController();
  call.once("cancelled", () => end.abort());
  const plugin = call.request.getKind() === "analyzer" ? runPolicyPack(call, end.signal) : runProgram(call, end.signal);
  plugin.then(
    () => call.end(),
    (error: unknown) => call.emit("error", toServiceError(error)),
  );
}

async function runProgram(call: Call, signal: AbortSignal): Promise<void> {
  const { request } = call;
  const directory = request.getInfo()!.getProgramDirectory();
  const entry = process.env["PULUMI_LANGUAGE_NODEJS_RUN_PATH"] || "@pulumi/pulumi/cmd/run-plugin";
  const module = locateModule(entry, directory, `npm install in ${directory}`);
  const args = [module, ...options(request).nodeargs, directory, ...request.getArgsList()];
  await runNode(call, args, request.getPwd(), environment(request), signal, (chunk) => writeStdout(call, chunk));
}

/** The SDK's policy runner wants the stack in its environment, so it starts once the engine has told the proxy. */
async function runPolicyPack(call: Call, signal: AbortSignal): Promise<void> {
  const { request } = call;
  const directory = request.getInfo()!.getProgramDirectory();
  const module = locateModule("@pulumi/pulumi/cmd/run-policy-pack", directory, `npm install in ${directory}`);
  const args = [module, ...options(request).nodeargs, ...request.getArgsList(), directory];
  const proxy = await PolicyProxy.start();
  signal.addEventListener("abort", () => proxy.stop());
  try {
    writeStdout(call, Buffer.from(`${proxy.port}\n`));
    const env = { ...environment(request), ...(await proxy.stackEnvironment()) };
    await runNode(
      call,
      args,
      directory,
      env,
      signal,
      proxy.portReader((rest) => writeStdout(call, rest)),
    );
  } finally {
    proxy.stop();
  }
}

function options(request: RunPluginRequest) {
  return parseOptions(request.getInfo()?.getOptions()?.toJavaScript() ?? {});
}

function environment(request: RunPluginRequest): NodeJS.ProcessEnv {
  const env = request.getEnvList().map((each) => {
    const at = each.indexOf("=");
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return { ...Object.fromEntries(env), ...optionsEnvironment(options(request)) };
}

async function runNode(
  call: Call,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  onStdout: (chunk: Buffer) => void,
): Promise<void> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], signal });
  child.stdout.on("data", onStdout);
  child.stderr.on("data", (chunk: Buffer) => call.write(new languagePb.RunPluginResponse().setStderr(chunk)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) =>
      reject(new Error(`Problem executing plugin program (could not run language executor): ${error.message}`)),
    );
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`Program exited with non-zero exit code: ${code ?? -1}`);
}

function writeStdout(call: Call, chunk: Buffer): void {
  call.write(new languagePb.RunPluginResponse().setStdout(chunk));
}
