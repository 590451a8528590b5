import type { Problem } from "../problems.ts";
import type { TypedMember } from "./members.ts";

/** The Service by which the scheduler finds the estimator of a member (karmada/pkg/util/names, `GenerateEstimatorServiceName`). */
export const estimatorService = (member: string): string => `karmada-scheduler-estimator-${member}`;

/** The longest name of a member that has an estimator: a Service's is a DNS label, of 63 characters. */
const longest = 63 - estimatorService("").length;

/**
 * Finds members whose estimators could not have a Service. @param by the setting that gives them estimators, as typed
 */
export const checkEstimatorNames = (members: readonly TypedMember[], by: string): Problem[] =>
  members.flatMap(({ name }, i) =>
    name.length > longest
      ? [
          {
            path: ["members", i, "name"],
            message: `got "${name}", want at most ${longest} characters with ${by}: its Service is named after it`,
          },
        ]
      : [],
  );
