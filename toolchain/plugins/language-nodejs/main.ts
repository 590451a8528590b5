/**
 * Stand-in of Pulumi's Node.js language host, `pulumi-language-nodejs`: the engine starts it once a command, asks which
 * plugins the program needs and has it run the program. It does what the official host does for `runtime: nodejs`,
 * except for code generation (`pulumi convert`, `package add`) and synchronous invokes, which are refused by name.
 * https://github.com/pulumi/pulumi/blob/v3.259.0/sdk/nodejs/cmd/pulumi-language-nodejs/main.go
 */
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { listen } from "../server/serve.ts";
import { languageHost } from "./host.ts";

await listen({ definition: languageGrpc.LanguageRuntimeService, ...languageHost(process.argv.at(2)) });
