import { isIPv6 } from "node:net";
import type { z } from "zod";
import { text } from "../field.ts";
import { shown } from "../wording.ts";

const number = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const four = `${number}(\\.${number}){3}`;
const six = "[0-9a-fA-F:]*:[0-9a-fA-F:.]+";
const port = "([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";

/** What resolvers and URLs take for the end of an IPv4 address: no last label of a name. */
const noNumber = "(?!(\\d+|0[xX][0-9a-fA-F]*)(?![-\\w]))";
const named = (label: string, labelsBefore = "*") => `(${label}\\.)${labelsBefore}${noNumber}${label}`;
const dns = named("[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?");
const lowerCase = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
/** No certificate of ours is made for it, and resolvers take more names than DNS does. */
const others = `${four}|${named("[A-Za-z0-9]([-\\w]{0,61}\\w)?")}\\.?`;

export const ipv4 = text(exactly(four), 'an IPv4 address such as "10.0.0.11"');
export const loopback = text(exactly(`127(\\.${number}){3}`), 'a loopback address such as "127.0.0.1"');
export const network = text(exactly(`${four}\\/([12]?\\d|3[0-2])`), 'a network such as "10.0.0.0/8"');

/** A DNS name as objects of Kubernetes have it. */
export const domain = (example: string) => text(exactly(named(lowerCase)), `a DNS name such as "${example}"`).max(253);

/** A DNS name below another one, as objects of Kubernetes have it. */
export const subdomain = (example: string) =>
  text(exactly(named(lowerCase, "+")), `a DNS name such as "${example}"`).max(253);

/** Address of something of ours: its certificate is made for it. */
export const address = text(exactly(`${four}|${dns}`), "an IPv4 address or a DNS name");

/** Further address for which a certificate of ours is made. */
export const certified = such(
  exactly(`${four}|(\\*\\.)?${dns}|${six}`),
  isAddress,
  "a host name or an IP address, without port",
);

/** Address of a machine, ours or not. */
export const reached = such(exactly(`${others}|${six}`), isAddress, "an IP address or a DNS name");

const withPort = (example: string) => `an address with a port from 1 to 65535, such as "${example}"`;

/** Where the API servers are, for clients. */
export const endpoint = such(
  exactly(`https:\\/\\/(${four}|${dns}):${port}`),
  isUrl,
  withPort("https://karmada.example.org:5443"),
);

/** Address of somebody else's server without a usual port. */
export const serverWithPort = (example: string) =>
  such(exactly(`https:\\/\\/(${others}|\\[${six}\\]):${port}`), isUrl, withPort(example));

/** Address of somebody else's server. @param more patterns */
export const server = (example: string, { scheme = "https", end = "" } = {}) =>
  such(exactly(`${scheme}:\\/\\/(${others}|\\[${six}\\])(:${port})?${end}`), isUrl, `an address such as "${example}"`);

/** A text of a form, checked by a rule; as far as a pattern can express it, that is in the JSON schema too. */
function such(pattern: RegExp, isOne: (value: string) => boolean, want: string): z.ZodString {
  return text(pattern, want).refine((value) => !pattern.test(value) || isOne(value), {
    error: ({ input }) => `got ${shown(input)}, want ${want}`,
  });
}

function exactly(pattern: string): RegExp {
  return new RegExp(`^(${pattern})$`);
}

function isAddress(value: string): boolean {
  return !value.includes(":") || isIPv6(value);
}

/** An address in brackets may be none, and a name in Punycode be badly encoded. */
function isUrl(value: string): boolean {
  return URL.canParse(value);
}
