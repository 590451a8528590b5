/**
 * Secrets in clear in the stack file, as `members[0].credentials.kubeconfig`. Pulumi stores them in clear in the state
 * too, as configuration of its providers. It tells only per key, not per value, whether something is encrypted:
 * `encrypted` has the keys that hold an encrypted value.
 */
export function plainSecrets(typed: Readonly<Record<string, unknown>>, encrypted: ReadonlySet<string>): string[] {
  return Object.entries(typed).flatMap(([key, value]) => (encrypted.has(key) ? [] : secretsIn(value, key)));
}

/** Names of all fields that spec/ calls secret. */
export const secretFields: ReadonlySet<string> = new Set([
  "key",
  "kubeconfig",
  "login",
  "passphrase",
  "password",
  "privateKey",
  "secretAccessKey",
  "secretText",
  "serviceAccountKey",
]);

/** Names of all fields of which spec/ calls every value secret, whatever its name. */
export const secretMaps: ReadonlySet<string> = new Set(["environment", "proxyHeader"]);

function secretsIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => secretsIn(item, `${path}[${i}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const at = path + step(name);
    if (secretMaps.has(name) && typeof field === "object" && field !== null) return textsIn(field, at);
    return typeof field === "string" && isSecretField(name, field) ? [at] : secretsIn(field, at);
  });
}

const textsIn = (fields: object, path: string) =>
  Object.entries(fields).flatMap(([name, field]) => (typeof field === "string" ? [path + step(name)] : []));

/** As `pulumi config set --path` parses it. */
const step = (name: string): string => (name.includes(".") ? `["${name}"]` : `.${name}`);

/** Whether spec/ calls the text of a field of this name secret. A taint also has a `key`, which is not. */
export const isSecretField = (name: string, text: string): boolean =>
  secretFields.has(name) && (name !== "key" || text.includes("PRIVATE KEY"));
