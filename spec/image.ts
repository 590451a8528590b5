import { text } from "./field.ts";

/** An image as it is pulled. */
export const image = text(
  /^(?!\S*:\/\/)\S+(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/,
  'an image with a tag or a digest and without "https://"',
);
