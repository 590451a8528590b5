/**
 * Loaded before Pulumi's SDK (`node --import`): lets it start without what it only needs to write functions out as text,
 * TypeScript's compiler and npm's Arborist, half of its 0.4 s. No dynamic resource here asks for that (see
 * providers/dynamic.ts); whoever does gets both then.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const project = createRequire(join(process.cwd(), "Pulumi.yaml"));
const sdk = createRequire(project.resolve("@pulumi/pulumi"));
for (const name of ["typescript", "@npmcli/arborist"]) postpone(name);

/** Puts something in the place of a package that becomes it at the first use; a package that is not there stays so. */
function postpone(name: string): void {
  const path = resolved(name);
  if (path === undefined) return;
  const exports = new Proxy(
    {},
    {
      // An ES module, so that compiled code takes it as it is instead of copying what it has.
      get: (_, key) => key === "__esModule" || Reflect.get(loaded(path, exports), key),
    },
  );
  sdk.cache[path] = { id: path, filename: path, path, loaded: true, exports } as NodeJS.Module;
}

function resolved(name: string): string | undefined {
  try {
    return sdk.resolve(name);
  } catch {
    return undefined;
  }
}

function loaded(path: string, placeholder: object): object {
  if (sdk.cache[path]?.exports === placeholder) delete sdk.cache[path];
  return sdk(path) as object;
}
