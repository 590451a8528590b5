/** Run as a process of its own: `node run-bundle.ts STORE FILE` packs all that the store has. */
import { makeBundle } from "../../../toolchain/bundle.ts";
import { listArtifacts } from "../../../toolchain/store/store.ts";

const [store = "", file = ""] = process.argv.slice(2);
console.log(await makeBundle(store, await listArtifacts(store), file));
