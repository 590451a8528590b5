import { damagedState } from "./damaged-state.ts";
import { wrongPassphrase } from "./wrong-passphrase.ts";

/**
 * Says what pulumi leaves unsaid of why it failed, where that is known.
 *
 * @param env what pulumi had
 * @param cwd where the stack files lie
 */
export const whyFailed = async (
  env: NodeJS.ProcessEnv,
  cwd: string,
  args: readonly string[],
): Promise<string | undefined> => (await damagedState(env)) ?? wrongPassphrase(env, cwd, args);
