import type { SshEndpoint } from "./address.ts";
import { keysOfAgent, Refused } from "./credentials.ts";

/** The given credentials do not let this program in. */
export class LoginRefused extends Refused {}

/**
 * Logs in, unless the same login was refused before: repeated failures get a client banned (fail2ban, and OpenSSH
 * itself since 9.8), and each host, and a jump host for all behind it, is asked many times. For the same reason there
 * is only one try at a time until one has succeeded. A login that once succeeded is right, and a later refusal is
 * temporary: a booting host, a directory service that is down.
 *
 * @param chain the jump hosts, and last the one to log in to: behind another jump host another machine may have its
 * address
 * @param login connects to the SSH server and logs in
 * @throws LoginRefused without connecting, when it was refused before
 */
export async function unlessRefused<T>(chain: readonly SshEndpoint[], login: () => Promise<T>): Promise<T> {
  const known = await knownOf(chain);
  while (known.trying !== undefined) await known.trying;
  if (known.refusal !== undefined) throw known.refusal;
  const trying = noted(known, login);
  if (!known.isLetIn) known.trying = trying.then(nothing, nothing).finally(() => delete known.trying);
  return trying;
}

async function noted<T>(known: Known, login: () => Promise<T>): Promise<T> {
  try {
    const link = await login();
    known.isLetIn = true;
    return link;
  } catch (error) {
    if (error instanceof LoginRefused && !known.isLetIn) known.refusal = error;
    throw error;
  }
}

/** What is known of a login. */
interface Known {
  isLetIn: boolean;
  refusal?: LoginRefused;
  /** The end of the single try that is made before any has succeeded. */
  trying?: Promise<void>;
}

const logins = new Map<string, Known>();

async function knownOf(chain: readonly SshEndpoint[]): Promise<Known> {
  const [endpoint, ...through] = chain.toReversed();
  const { address, port, user, privateKey, passphrase, password, agent } = endpoint!;
  const keys = await keysOfAgent(endpoint!);
  const way = through.map((each) => [each.address, each.port]);
  const key = JSON.stringify([way, address, port, user, privateKey, passphrase, password, agent, keys]);
  const known = logins.get(key) ?? { isLetIn: false };
  logins.set(key, known);
  return known;
}

const nothing = (): void => undefined;
