import { text } from "../field.ts";

/** As runtimes take it: https://github.com/distribution/reference/blob/v0.6.0/reference.go */
const part = "[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*";
const label = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?";
const registry = `${label}(\\.${label})*(:\\d{1,5})?`;
const version = "(:\\w[\\w.-]{0,127}|(:\\w[\\w.-]{0,127})?@sha256:[0-9a-f]{64})";

/** An image as it is pulled. */
export const image = text(
  new RegExp(`^(${registry}\\/)?${part}(\\/${part})*${version}$`),
  'an image with a tag or a digest, its path in lower case, without "https://"',
);

/** The prefix of image names. */
export const prefix = text(
  new RegExp(`^(${registry.replaceAll("a-zA-Z", "a-z")}|${part})(\\/${part})*$`),
  'a registry with or without a path, in lower case and without "https://", such as "registry.example.org/mirror"',
);
