/** A plugin that shows what the server base does with each kind of answer; the tests beside it start it. */
import { InvalidArguments, PartialFailure, Secret, serve, UNKNOWN } from "../../../toolchain/plugins/server/index.ts";
import { setTimeout as sleep } from "node:timers/promises";

await serve({
  name: "sample",
  version: "1.2.3",
  resources: {
    "sample:index:Echo": {
      check: async ({ news }) => ({
        inputs: { size: 1, ...news },
        failures: news["size"] === -1 ? [{ property: "size", reason: "got -1, want a positive number" }] : [],
      }),
      diff: async ({ oldInputs, news }) => ({
        changes: oldInputs["size"] !== news["size"],
        replaces: oldInputs["name"] === news["name"] ? [] : ["name"],
        detailed: { size: { kind: "update", inputDiff: true } },
      }),
      create: async ({ inputs, preview, log, timeout }) => {
        log("info", "creating", { status: true });
        if (inputs["fail"] === "whole") throw new Error("sample: refused");
        if (inputs["fail"] === "part") {
          throw new PartialFailure("sample: not ready", { id: "half", outputs: { token: new Secret("s3cret") } });
        }
        return {
          id: preview ? "" : "echo-1",
          outputs: { ...inputs, token: preview ? UNKNOWN : new Secret("s3cret"), timeout },
        };
      },
      read: async ({ id, state, inputs }) => (id === "gone" ? undefined : { id, outputs: state, inputs }),
      update: async ({ news, preview }) => ({ ...news, preview }),
    },
    "sample:index:Slow": {
      create: async ({ signal }) => {
        await sleep(60_000, undefined, { signal }).catch(() => {
          throw new Error("sample: stopped", { cause: signal.reason });
        });
        return { id: "slow", outputs: {} };
      },
    },
  },
  functions: {
    "sample:index:double": async ({ args }) => {
      const { value } = args;
      if (typeof value !== "number") throw new InvalidArguments([{ property: "value", reason: "want a number" }]);
      return { value: 2 * value };
    },
  },
});
