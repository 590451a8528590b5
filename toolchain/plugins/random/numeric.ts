import type { Plain, Plan } from "../bridge/schema.ts";

/** `number` is the old name of `numeric`: each follows the one that is configured. */
export function keepNumericInStep(planned: Plain, { config }: Plan): Plain {
  const { number, numeric } = config;
  if (number !== undefined && numeric !== undefined) {
    if (number === numeric) return planned;
    throw new Error(
      "1 error occurred:\n\t* : Number and numeric are both configured with different values - " +
        "Number is deprecated, use numeric instead\n\n",
    );
  }
  return number ?? numeric ?? true;
}
