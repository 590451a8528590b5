/**
 * Decodes base64 as Go does: nothing but the alphabet, and padding as the variant wants it.
 * @throws Error with Go's message
 */
export function decodeBase64(text: string, variant: "std" | "raw-url"): Buffer {
  const alphabet = variant === "std" ? /^[A-Za-z0-9+/]*/ : /^[A-Za-z0-9_-]*/;
  const digits = alphabet.exec(text)![0];
  const padding = variant === "std" ? "=".repeat((4 - (digits.length % 4)) % 4) : "";
  if (digits.length % 4 === 1 || text !== digits + padding) {
    const position = text.startsWith(digits + padding) ? digits.length + padding.length : digits.length;
    throw new Error(`illegal base64 data at input byte ${position}`);
  }
  return Buffer.from(digits, variant === "std" ? "base64" : "base64url");
}
