import { spawn } from "node:child_process";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import type grpc from "@grpc/grpc-js";
import type { InstallDependenciesRequest, InstallDependenciesResponse } from "@pulumi/pulumi/proto/language_pb.js";
import { toServiceError } from "../server/errors.ts";
import { parseOptions } from "./options.ts";
import type { Options } from "./options.ts";
import { resolvePackageManager } from "./package-manager.ts";

/** `pulumi install`: has the package manager install what package.json asks for, showing what it prints. */
export function installDependencies(
  call: grpc.ServerWritableStream<InstallDependenciesRequest, InstallDependenciesResponse>,
): void {
  const send = (text: string | Buffer, stream: "stdout" | "stderr" = "stdout") => {
    const bytes = Buffer.from(text);
    const response = new languagePb.InstallDependenciesResponse();
    call.write(stream === "stdout" ? response.setStdout(bytes) : response.setStderr(bytes));
  };
  const info = call.request.getInfo();
  const install = async () => {
    const options = parseOptions(info?.getOptions()?.toJavaScript() ?? {});
    send("Installing dependencies...\n\n");
    await runInstall(options, info?.getProgramDirectory() ?? process.cwd(), send);
    send("Finished installing dependencies\n\n");
  };
  install().then(
    () => call.end(),
    (error: unknown) => call.emit("error", toServiceError(error)),
  );
}

async function runInstall(
  options: Options,
  directory: string,
  send: (text: Buffer, stream: "stdout" | "stderr") => void,
): Promise<void> {
  const manager = await resolvePackageManager(options.packagemanager, directory);
  const args = [
    "install",
    ...(manager === "npm" ? ["--loglevel=error"] : []),
    ...(options.production ? ["--production"] : []),
  ];
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(manager, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => send(chunk, "stdout"));
    child.stderr.on("data", (chunk: Buffer) => send(chunk, "stderr"));
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`${manager} install failed: exit status ${code}`);
}
