import type { z } from "zod";
import { shown } from "../wording.ts";

/** Finds duplicates in a list of texts. @param what one of them is */
export const eachOnce = (what: string) => (all: readonly string[], issue: z.RefinementCtx) => {
  all.forEach((each, i) => {
    if (all.indexOf(each) === i) return;
    issue.addIssue({ code: "custom", path: [i], message: `got ${shown(each)}, want each ${what} once` });
  });
};
