import { Diagnostic } from "../bridge/schema.ts";

/** The provider's words for an import id that is not of the resource's form. */
export function importError(kind: string, happened: string, original: string): Diagnostic {
  const retry =
    "Retry the Terraform operation. If the error still occurs or happens regularly, please contact the provider " +
    "developer with hardware and operating system information.\n\n";
  return new Diagnostic(`Import Random ${kind} Error`, `${happened}${retry}Original Error: ${original}`);
}
