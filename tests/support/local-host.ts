/** Calls a provider on the machine where it is started: `node local-host.mjs <file with {provider, method, args}>`; prints what it answers. */
import { readFileSync } from "node:fs";
import { closeHosts } from "../../lib/hosts/hosts.ts";
import { provider as preflight } from "../../providers/host-preflight-impl.ts";
import { provider as process_ } from "../../providers/host-process-impl.ts";

const providers = { preflight, process: process_ };
const { provider, method, args } = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as {
  provider: keyof typeof providers;
  method: "create" | "read" | "delete";
  args: never[];
};
const answer = console.log;
console.log = console.error;
const { check, ...methods } = providers[provider];
// What is created was checked in the same run.
const given = method === "create" ? [(await check({}, args[0]!)).inputs as never] : args;
const run = methods[method] as (...args: never[]) => Promise<unknown>;
answer(JSON.stringify((await run(...given)) ?? null));
closeHosts();
