import { choose } from "../../toolchain/choose.ts";
import { hostPlatform, install } from "../../toolchain/index.ts";

/** The path of a program (or directory) from the toolchain; `name` or `name@version`, else of the default versions. */
export async function programPath(name: string): Promise<string> {
  const [artifact] = await install(choose([name], {}, hostPlatform()));
  return artifact!.path;
}
