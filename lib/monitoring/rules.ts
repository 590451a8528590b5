import { stringify } from "yaml";
import type { Rule, Watched } from "./rule.ts";
import { apiRules } from "./rules/api.ts";
import { backupRules } from "./rules/backup.ts";
import { balancerRules } from "./rules/balancers.ts";
import { certificateRules } from "./rules/certificates.ts";
import { etcdRules } from "./rules/etcd.ts";
import { karmadaRules } from "./rules/karmada.ts";
import { programRules } from "./rules/programs.ts";

/** A group of rules, which Prometheus evaluates one after another. */
export interface RuleGroup {
  /** Unique among all files of a Prometheus, so with the deployment's name. */
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** The rules of a deployment; none about what it does not have. */
export function ruleGroups(watched: Watched): RuleGroup[] {
  const groups = {
    programs: programRules(watched),
    etcd: etcdRules(watched),
    backup: backupRules(watched),
    api: apiRules(watched),
    balancers: balancerRules(watched),
    karmada: karmadaRules(watched),
    certificates: certificateRules(watched),
  };
  return Object.entries(groups)
    .filter(([, rules]) => rules.length > 0)
    .map(([name, rules]) => ({ name: `${watched.deployment}/${name}`, rules }));
}

/** What Prometheus includes by `rule_files`. */
export const rulesText = (watched: Watched): string => stringify({ groups: ruleGroups(watched) }, { lineWidth: 0 });
