import { join } from "node:path";

/** Where things of a process are, below the directory of its deployment. */
export function processPaths({ directory, name }: { readonly directory: string; readonly name: string }) {
  const own = join(directory, name);
  return {
    own,
    file: (key: string) => join(own, key),
    data: join(own, "data"),
    log: join(directory, "logs", `${name}.log`),
  };
}
