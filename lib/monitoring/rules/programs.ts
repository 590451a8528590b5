import { alert, of, type Rule, seeLog, type Watched } from "../rule.ts";

/** What runs, and whether Prometheus knows all of it. */
export function programRules(watched: Watched): Rule[] {
  const all = of(watched);
  const components = [...new Set(watched.targets.map(({ component }) => component))];
  const alone = components.filter((component) => !inNumbers.includes(component));
  const noneFound = alone.map((component) => ` or absent(up${of(watched, [component])})`).join("");
  const count = watched.targets.reduce((sum, target) => sum + ("copies" in target ? target.copies : 1), 0);
  return [
    alert(watched, {
      name: "KarmadaProgramDown",
      severity: "warning",
      for: "3m",
      expr: `up${all} == 0`,
      summary: "{{ $labels.process }} does not answer",
      description: `Nothing has answered at {{ $labels.instance }} for metrics. \`pulumi preview --refresh\` says whether it runs as declared, \`pulumi up\` mends what does not. ${seeLog(watched)}`,
    }),
    alert(watched, {
      name: "KarmadaComponentDown",
      severity: "critical",
      for: "2m",
      expr: `sum by (component) (up${of(watched, alone)}) == 0${noneFound}`,
      summary: "no {{ $labels.component }} answers",
      description:
        "Not one of its replicas does, so that nobody does its work. See KarmadaProgramDown for each of them; when all programs of several hosts are concerned, look at the hosts first.",
    }),
    alert(watched, {
      name: "KarmadaTargetsMissing",
      severity: "warning",
      for: "10m",
      expr: `(count(up${all}) or vector(0)) < ${count}`,
      summary: `fewer than the ${count} programs of ${watched.deployment} are asked for metrics`,
      description: `${watched.pods ? `Pods do not run (\`kubectl get pods -n ${watched.pods.namespace}\`), or a` : "A"} Prometheus does not run, or not with the configuration of the latest \`up\`. Write it anew with \`npm run monitoring\`, bring it to every Prometheus, and let them read it.`,
    }),
  ];
}

/** Replicated: others carry on when one is down. */
const inNumbers = ["etcd", "karmada-agent", "karmada-scheduler-estimator"];
