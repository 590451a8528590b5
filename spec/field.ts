import { z } from "zod";

/** What a schema cannot say in zod's own words; read by problems.ts and docs.ts. */
export interface FieldNote {
  /** How an error names what is allowed here: completes `got x, want ...`. */
  readonly want?: string;
  /** Key material or a credential: never shown, kept as a Pulumi secret. */
  readonly secret?: boolean;
  /** Never shown in an error, since a credential may be typed here by mistake. */
  readonly hidden?: boolean;
}

/** The notes of all fields. A registry of its own keeps them out of the JSON schema. */
export const fieldNotes = z.registry<FieldNote>();

/** Alternative forms of what a schema describes, converted before it is checked. */
export const otherForms = new Map<unknown, z.ZodType>();

/** A text of one form. `want` completes the error: `got "A", want ...`. */
export function text(pattern: RegExp, want: string): z.ZodString {
  return z.string().regex(pattern).register(fieldNotes, { want });
}

/** A text with some meaning but no fixed form, never empty. */
export function words(want: string): z.ZodString {
  return z.string().min(1).register(fieldNotes, { want });
}

/** A whole number between two bounds, both allowed. */
export function whole(min: number, max: number, want = `a whole number from ${min} to ${max}`): z.ZodNumber {
  return z.number().int().min(min).max(max).register(fieldNotes, { want });
}

/** Credentials: the value is never shown, and becomes a Pulumi secret. */
export function secret(want: string): z.ZodType<SecretText, string> {
  return z.string().min(1).register(fieldNotes, { want, secret: true }) as unknown as z.ZodType<SecretText, string>;
}

declare const secretMark: unique symbol;

/** A text that must not be shown; `Resolved` replaces it by the form secrets have in a layer. */
export type SecretText = string & { readonly [secretMark]: true };

/** The output of a schema, deeply read-only; secrets have the type `Secret`. */
export type Resolved<T, Secret> = T extends SecretText
  ? Secret
  : T extends string | number | boolean | undefined
    ? T
    : { readonly [K in keyof T]: Resolved<Exclude<T[K], undefined>, Secret> };
