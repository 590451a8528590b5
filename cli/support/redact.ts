/** Stands for what is not to be seen by others. */
export const redacted = "[redacted]";

/**
 * Takes out of a text what opens doors: private keys, tokens, passwords, the logins in URLs. Whoever wrote it into a log
 * did not mean to; what is known to be secret must not come here at all.
 */
export const redact = (text: string): string => rules.reduce((rest, rule) => rule(rest), text);

/** Whether a field of this name holds a secret, by what such fields are commonly called: `adminPassword`. */
export const isSecretName = (name: string): boolean => whole.test(name);

/** The token of a new cluster of etcd only tells it from others. */
const secretName =
  "(?:pass(?:word|wd|phrase)|(?<!cluster-)token|secret[_-]?access[_-]?key|secret[_-]?key|client[_-]?secret|client-key-data|api[_-]?key|private[_-]?key)";
const whole = new RegExp(`${secretName}$`, "i");
/** What is in front of it is bounded: a log may have a line of a million letters. */
const named = `(?<![\\w.-])[\\w.-]{0,40}${secretName}`;

const header = "(?:[A-Z0-9]+ )*PRIVATE KEY-----";
const bodyOfKey = "(?:[A-Za-z0-9+/=\\s]|\\\\[nr])*";

/** Also within a text of JSON, where a backslash is in front of each quote. The second group of a pattern. */
const inQuotes = `(\\\\*["'])(?:(?!\\2)[^\\n])*\\2`;
const word = `["']?(?:[^\\s"'&\\\\]|\\\\[^"'])+`;

const rules: readonly ((text: string) => string)[] = [
  // Private keys: whole ones, in JSON too; one whose end is cut off, one whose beginning is.
  into(new RegExp(`-----BEGIN ${header}(?:(?!-----)[^]){0,20000}-----END ${header}`, "g"), redacted),
  into(new RegExp(`-----BEGIN ${header}${bodyOfKey}`, "g"), redacted),
  into(new RegExp(`^${bodyOfKey}-----END ${header}`), redacted),
  // The same in base64, as kubeconfigs have them; certificates stay.
  (text) => text.replace(/LS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g, (found) => (isPrivateKey(found) ? redacted : found)),
  // JSON Web Tokens; bootstrap tokens.
  into(/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/g, redacted),
  into(/(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g, redacted),
  into(/(\bBearer\s+)[\w.~+/-]{16,}=*/gi, `$1${redacted}`),
  into(/(\bauthorization["']?\s*[:=]\s*["'[]?\s*Basic\s+)[\w+/=]+/gi, `$1${redacted}`),
  into(/(:\/\/)[^\s/@"'\\]+@/g, `$1${redacted}@`),
  // "password": "…" of JSON, the same within a text of JSON, password=…, and password: … alone on a line of YAML.
  into(new RegExp(`(${named}"\\s*:\\s*")(?:[^"\\\\\\n]|\\\\.)+`, "gi"), `$1${redacted}`),
  into(new RegExp(`(${named}\\\\+"\\s*:\\s*\\\\+")[^"\\\\\\n]+`, "gi"), `$1${redacted}`),
  into(new RegExp(`(${named}=)(?:${inQuotes}|${word})`, "gi"), `$1${redacted}`),
  into(new RegExp(`^([ \\t]*(?:- )?${named}[ \\t]*:[ \\t]+)(?![{[|>])\\S.*$`, "gim"), `$1${redacted}`),
];

function into(pattern: RegExp, replacement: string): (text: string) => string {
  return (text) => text.replace(pattern, replacement);
}

const isPrivateKey = (base64: string): boolean => Buffer.from(base64, "base64").toString().includes("PRIVATE KEY");
