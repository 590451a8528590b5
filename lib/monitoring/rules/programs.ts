import { alert, of, type Rule, seeLog, type Watched } from "../rule.ts";

/** What runs, and whether Prometheus knows of all of it. */
export function programRules(watched: Watched): Rule[] {
  const all = of(watched);
  const alone = of(watched, [], 'component!~"etcd|karmada-agent|karmada-scheduler-estimator"');
  const count = watched.targets.length;
  return [
    alert(watched, "KarmadaProgramDown", "warning", "3m", `up${all} == 0`, {
      summary: "{{ $labels.process }} does not answer",
      description: `Nothing has answered at {{ $labels.instance }} for metrics. \`pulumi preview --refresh\` says whether it runs as declared, \`pulumi up\` mends what does not. ${seeLog(watched)}`,
    }),
    alert(watched, "KarmadaComponentDown", "critical", "2m", `sum by (component) (up${alone}) == 0`, {
      summary: "no {{ $labels.component }} answers",
      description:
        "Not one of its replicas does, so that nobody does its work. See KarmadaProgramDown for each of them; when all programs of several hosts are concerned, look at the hosts first.",
    }),
    alert(watched, "KarmadaTargetsMissing", "warning", "10m", `(count(up${all}) or vector(0)) < ${count}`, {
      summary: `fewer than the ${count} programs of ${watched.deployment} are asked for metrics`,
      description:
        "A Prometheus does not run, or not with the configuration of the latest `up`. Write it anew with `npm run monitoring`, bring it to every Prometheus, and let them read it.",
    }),
  ];
}
