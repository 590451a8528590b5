import { text } from "./field.ts";

export const ipv4 = text(
  /^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$/,
  'an IPv4 address such as "10.0.0.11"',
);
