/** Subject alternative names (RFC 5280 section 4.2.1.6) of the kinds the provider knows. */
import { isIPv4, isIPv6 } from "node:net";
import { Diagnostic } from "../bridge/schema.ts";
import type { State } from "../bridge/schema.ts";
import { implicit, sequence } from "./der.ts";
import { children, readElement } from "./der-reader.ts";

const DNS = 2;
const URI = 6;
const IP = 7;

export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly Buffer[];
  readonly uris: readonly string[];
}

/** @throws Diagnostic for an address or URI that is none */
export function configuredNames(state: State): AlternativeNames {
  const list = (name: string) => (state[name] ?? []) as readonly string[];
  return {
    dnsNames: list("dnsNames"),
    ipAddresses: list("ipAddresses").map(parseAddress),
    uris: list("uris").map(checkUri),
  };
}

/** The extension's value; `undefined` when there is no name. */
export function encodeNames({ dnsNames, ipAddresses, uris }: AlternativeNames): Buffer | undefined {
  const names = [
    ...dnsNames.map((name) => implicit(DNS, ia5(name))),
    ...ipAddresses.map((address) => implicit(IP, address)),
    ...uris.map((uri) => implicit(URI, ia5(uri))),
  ];
  return names.length > 0 ? sequence(...names) : undefined;
}

export function decodeNames(value: Buffer | undefined): AlternativeNames {
  const names = value ? children(readElement(value)) : [];
  const contents = (kind: number) => names.filter(({ tag }) => tag === (0x80 | kind)).map(({ content }) => content);
  return {
    dnsNames: contents(DNS).map(String),
    ipAddresses: contents(IP),
    uris: contents(URI).map(String),
  };
}

/** Four bytes, also for an IPv4 address written as an IPv6 one, or sixteen. */
function parseAddress(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split(".").map(Number));
  if (!isIPv6(text) || text.includes("%")) {
    throw new Diagnostic("Invalid IP address", `Failed to parse ${JSON.stringify(text)}`);
  }
  // the URL parser writes every address in hexadecimal and shortest form
  const [head = "", tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array<number>(tail === undefined ? 0 : 8 - left.length - right.length).fill(0);
  const bytes = Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]));
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes.readUInt16BE(10) === 0xffff;
  return isMapped ? bytes.subarray(12) : bytes;
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
}

/** What Go's url.Parse refuses of what is likely to be written. */
function checkUri(text: string): string {
  const quoted = JSON.stringify(text);
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)?.[0];
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1];
  const wrong = /[ "<>^`{|}\\]/.exec(host ?? "")?.[0];
  const reason =
    escape !== undefined
      ? `invalid URL escape ${JSON.stringify(escape)}`
      : wrong !== undefined && `invalid character ${JSON.stringify(wrong)} in host name`;
  if (!reason) return text;
  throw new Diagnostic("Invalid URI", `Failed to parse ${quoted}: parse ${quoted}: ${reason}`);
}

function ia5(text: string): Buffer {
  if (!/^[\x00-\x7f]*$/.test(text)) throw new Error(`x509: ${JSON.stringify(text)} cannot be encoded as an IA5String`);
  return Buffer.from(text, "latin1");
}
