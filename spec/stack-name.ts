import type { z } from "zod";
import { text } from "./field.ts";

/** The name of another stack, with its project and its organization unless they are those of this one. */
export const stackName = (stack: string, project = "karmada"): z.ZodString =>
  text(stackNamePattern, `the name of a stack such as "${stack}" or "organization/${project}/${stack}"`);

export const stackNamePattern = /^[\w.-]+(\/[\w.-]+){0,2}$/;
