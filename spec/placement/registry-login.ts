import { secret } from "../field.ts";
import { jsonOf } from "../values/json-of.ts";
import type { Problem } from "../problems.ts";

/** Logins for registries, as nodes are given them. */
export const login = secret("a Docker configuration as JSON");

/** Finds logins that nodes could not use. Only names of registries are shown. @param path of the login */
export function checkLogin(path: Problem["path"], text: string | undefined): Problem[] {
  const message = text === undefined ? undefined : unfit(text);
  return message === undefined ? [] : [{ path, message }];
}

const wanted =
  'want a Docker configuration such as {"auths": {"registry.example.org": {"auth": "..."}}} (not shown: a secret)';

function unfit(text: string): string | undefined {
  const config = jsonOf(text);
  if (config === undefined) return `this is not JSON, ${wanted}`;
  const auths = objectOf(objectOf(config)?.["auths"]);
  if (auths === undefined) return `this has no "auths", ${wanted}`;
  const registries = Object.keys(auths);
  if (registries.length === 0) return `its "auths" has no registry, ${wanted}`;
  const without = registries.filter((registry) => !logsIn(objectOf(auths[registry]) ?? {}));
  if (without.length === 0) return undefined;
  return `it has no login for ${without.join(", ")}, want "auth" there, or "username" and "password": docker login may have put it into a credsStore, which nodes have not`;
}

function logsIn({ auth, username, password, identitytoken, registrytoken }: Fields): boolean {
  return [auth, username && password, identitytoken, registrytoken].some((each) => typeof each === "string" && each);
}

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
