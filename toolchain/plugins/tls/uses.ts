/** What a certificate may be used for (RFC 5280 sections 4.2.1.3 and 4.2.1.12), by the names of `allowedUses`. */
import { bitString, objectIdentifier, sequence } from "./der.ts";

/** In the order of their bits. */
const KEY_USAGES = [
  "digital_signature",
  "content_commitment",
  "key_encipherment",
  "data_encipherment",
  "key_agreement",
  "cert_signing",
  "crl_signing",
  "encipher_only",
  "decipher_only",
];
const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  any_extended: "2.5.29.37.0",
  server_auth: "1.3.6.1.5.5.7.3.1",
  client_auth: "1.3.6.1.5.5.7.3.2",
  code_signing: "1.3.6.1.5.5.7.3.3",
  email_protection: "1.3.6.1.5.5.7.3.4",
  ipsec_end_system: "1.3.6.1.5.5.7.3.5",
  ipsec_tunnel: "1.3.6.1.5.5.7.3.6",
  ipsec_user: "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  ocsp_signing: "1.3.6.1.5.5.7.3.9",
  microsoft_server_gated_crypto: "1.3.6.1.4.1.311.10.3.3",
  netscape_server_gated_crypto: "2.16.840.1.113730.4.1",
  microsoft_commercial_code_signing: "1.3.6.1.4.1.311.2.1.22",
  microsoft_kernel_code_signing: "1.3.6.1.4.1.311.61.1.1",
};

/** Every use, sorted. */
export const USES: readonly string[] = [...KEY_USAGES, ...Object.keys(EXTENDED_KEY_USAGES)].sort();

/** The key usage extension's value; `undefined` when there is none. */
export function keyUsage(uses: readonly string[]): Buffer | undefined {
  const bits = KEY_USAGES.map((use) => uses.includes(use));
  const last = bits.lastIndexOf(true);
  if (last < 0) return undefined;
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  bits.forEach((on, bit) => on && (bytes[bit >> 3]! |= 0x80 >> (bit & 7)));
  return bitString(bytes, 7 - (last & 7));
}

/** The extended key usage extension's value, in the order given; `undefined` when there is none. */
export function extendedKeyUsage(uses: readonly string[]): Buffer | undefined {
  const identifiers = uses.flatMap((use) => EXTENDED_KEY_USAGES[use] ?? []);
  return identifiers.length > 0 ? sequence(...identifiers.map(objectIdentifier)) : undefined;
}
