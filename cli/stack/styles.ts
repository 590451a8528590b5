import { styleText } from "node:util";

/** How text is shown on a screen: as it is, if that is not a terminal. */
export const styleFor =
  (screen: NodeJS.WritableStream) =>
  (format: "bold" | "green" | "red" | "yellow") =>
  (text: string): string =>
    styleText(format, text, { stream: screen });
