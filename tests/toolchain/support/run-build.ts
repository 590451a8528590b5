/** Run as a process of its own: `node run-build.ts STORE MODULES SET` builds a set (JSON), and says when it begins to. */
import { installFrom } from "../../../toolchain/install.ts";
import type { ProgramSet } from "../../../toolchain/program.ts";
import { moduleSource } from "../../../toolchain/sources/module.ts";

const [store = "", modules = "", text = ""] = process.argv.slice(2);
const set = JSON.parse(text) as ProgramSet;
await installFrom(set.programs, {
  sets: [set],
  sources: [moduleSource(modules)],
  store,
  onProgress: ({ step }) => step === "build" && console.log(step),
});
