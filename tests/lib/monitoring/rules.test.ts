import { parse } from "yaml";
import type { AlertRule } from "../../../lib/monitoring/rule.ts";
import { ruleGroups, rulesText } from "../../../lib/monitoring/rules.ts";
import { readPromql } from "../../support/promql.ts";
import { pods, target, watched } from "./support.ts";

const groups = ruleGroups(watched());
const alertsOf = (all: typeof groups) =>
  all.flatMap(({ rules }) => rules.filter((rule): rule is AlertRule => "alert" in rule));
const alerts = alertsOf(groups);
const named = (...components: string[]) =>
  ruleGroups(watched({ targets: components.map((name) => target(name, { etcdCluster: "prod" })) }));

test("every expression is PromQL, and all that it chooses is of the deployment", () => {
  const selectors = alerts.flatMap(({ expr }) => readPromql(expr).selectors);
  expect(selectors.length).toBeGreaterThan(alerts.length);
  for (const { matchers } of selectors)
    expect(matchers).toContainEqual({ label: "deployment", op: "=", value: "prod" });
});

test("an expression that is not PromQL is found", () => {
  expect(() => readPromql('sum by (x) (up{a="b"}) == ')).toThrow("<HERE>");
  expect(() => readPromql("up{a=}")).toThrow("no StringLiteral");
});

test("every alert has a name of its own, and says what it is and what to do", () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  for (const { alert, annotations, labels } of alerts) {
    expect(alert).toMatch(/^Karmada([A-Z][a-z]+)+$/);
    expect(labels.deployment).toBe("prod");
    expect(annotations.summary).toMatch(/^[^A-Z].*[^.]$|^\{\{/);
    expect(annotations.description).toMatch(/^.{40,}\.$/);
  }
});

test("annotations use no label that the grouping of their query leaves out", () => {
  const unknown = alerts.flatMap(({ alert, expr, annotations }) => {
    const { by } = readPromql(expr);
    const spoken = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
    return by.length === 0 ? [] : spoken.filter((label) => !by.flat().includes(label)).map((label) => [alert, label]);
  });
  expect(unknown).toEqual([]);
});

test("another alert that a description names is there", () => {
  const names = alerts.map(({ alert }) => alert);
  const mentioned = alerts.flatMap(
    ({ annotations }) => annotations.description.match(/Karmada[A-Z]\w+(?!\.\.\.)\b/g) ?? [],
  );
  expect(mentioned.length).toBeGreaterThan(3);
  expect(mentioned.filter((name) => !names.some((known) => known.startsWith(name)))).toEqual([]);
});

test("there are no rules about what a deployment does not have", () => {
  const least = ["kube-apiserver", "karmada-controller-manager", "karmada-scheduler"];
  expect(named(...least).map(({ name }) => name)).toEqual([
    "prod/programs",
    "prod/api",
    "prod/karmada",
    "prod/certificates",
  ]);
  const absent = alerts
    .map(({ alert }) => alert)
    .filter((name) => !JSON.stringify(named(...least)).includes(`"${name}"`));
  expect(absent).toEqual([
    "KarmadaEtcdNoMajority",
    "KarmadaEtcdNoLeader",
    "KarmadaEtcdLeaderChanges",
    "KarmadaEtcdSlowPeers",
    "KarmadaEtcdSlowDisk",
    "KarmadaEtcdSlowCommits",
    "KarmadaEtcdDatabaseLarge",
    "KarmadaEtcdDatabaseFull",
    "KarmadaBackupOverdue",
    "KarmadaBackupFailing",
    "KarmadaBackupTargetDown",
    "KarmadaBackupDamaged",
    "KarmadaBackupDrillFailed",
    "KarmadaBalancerServerLeft",
    "KarmadaBalancerWithoutServers",
    "KarmadaBalancerFull",
    "KarmadaAgentDown",
    "KarmadaEstimatorErrors",
  ]);
  const ofOne = alertsOf(named("etcd", ...least)).map(({ alert }) => alert);
  expect(ofOne).toContain("KarmadaEtcdNoLeader");
  expect(ofOne).not.toContain("KarmadaEtcdSlowPeers");
});

test("ends of certificates are kept as values, and alerts follow from when they are renewed", () => {
  const { rules } = groups.at(-1)!;
  expect(rules.slice(0, 2)).toEqual([
    {
      record: "karmada_certificate_end_timestamp_seconds",
      expr: "vector(1798761600)",
      labels: { deployment: "prod", certificate: "apiserver" },
    },
    {
      record: "karmada_certificate_end_timestamp_seconds",
      expr: "vector(2082758400)",
      labels: { deployment: "prod", certificate: "ca-karmada" },
    },
  ]);
  const left = 'karmada_certificate_end_timestamp_seconds{deployment="prod",certificate!~"ca-.*"} - time()';
  expect(alertsOf([groups.at(-1)!]).map(({ alert, expr }) => [alert, expr])).toEqual([
    ["KarmadaCertificateDue", `${left} < ${540 * 3600}`],
    ["KarmadaCertificateEnds", `${left} < ${120 * 3600}`],
    ["KarmadaAuthorityDue", `${left.replace("!~", "=~")} < ${90 * 24 * 3600}`],
  ]);
  const short = alertsOf(ruleGroups(watched({ renewBeforeSeconds: 7200 })));
  expect(short.find(({ alert }) => alert === "KarmadaClientCertificateEnds")?.expr).toMatch(/ < 3600$/);
});

test("an authority that no `up` renewed in time is told from a given one, which nothing renews", () => {
  const authorities = { renewBeforeSeconds: 720 * 3600, given: ["ca-karmada", "ca-front-proxy"] };
  const found = alertsOf(ruleGroups(watched({ authorities }))).filter(({ alert }) => alert.includes("Authority"));
  const left = (matchers: string) =>
    `karmada_certificate_end_timestamp_seconds{deployment="prod",${matchers}} - time()`;
  const given = '"ca-karmada|ca-front-proxy"';
  expect(found.map(({ alert, expr }) => [alert, expr])).toEqual([
    ["KarmadaAuthorityDue", `${left(`certificate=~"ca-.*",certificate!~${given}`)} < ${540 * 3600}`],
    ["KarmadaAuthorityEnds", `${left(`certificate=~${given}`)} < ${90 * 24 * 3600}`],
  ]);
  expect(found.map(({ annotations }) => /give one with its key/.test(annotations.description))).toEqual([false, true]);
});

test("on hosts descriptions lead to the journal", () => {
  const down = (targets = watched().targets) =>
    alertsOf(ruleGroups(watched({ targets }))).find(({ alert }) => alert === "KarmadaProgramDown")!.annotations
      .description;
  expect(down()).toMatch(/logs\/\{\{ \$labels\.process \}\}\.log below the directory of the deployment\.$/);
  expect(down([target("etcd", { host: "host1" })])).toMatch(/`journalctl -u karmada-\{\{ \$labels\.process \}\}` on /);
});

test("the file has the groups as Prometheus reads them", () => {
  expect(parse(rulesText(watched()))).toEqual({ groups });
});

test("what is not found any more counts as down: pods that are gone, a host without its Prometheus", () => {
  const expressions = new Map(alerts.map(({ alert, expr }) => [alert, expr]));
  const up = 'up{deployment="prod",component="etcd",etcd_cluster="prod"}';
  expect(expressions.get("KarmadaEtcdNoMajority")).toBe(`sum by (etcd_cluster) (${up}) < 2 or absent(${up}) - 1`);
  expect(expressions.get("KarmadaComponentDown")).toMatch(
    /^sum by \(component\) \(up\{.*\}\) == 0 or absent\(up\{deployment="prod",component="kube-apiserver"\}\) or /,
  );
  expect(expressions.get("KarmadaComponentDown")).not.toMatch(/etcd"|agent|estimator/);
});

test("of pods each replica counts, and their logs are in their cluster", () => {
  const inPods = { namespace: "fleet", from: ["monitoring"] };
  const targets = [pods("karmada-webhook", { copies: 2 }), pods("etcd", { process: "etcd-0", etcdCluster: "prod" })];
  const found = alertsOf(ruleGroups(watched({ targets, pods: inPods })));
  const ofName = (name: string) => found.find(({ alert }) => alert === name)!;
  expect(ofName("KarmadaTargetsMissing").expr).toContain(" < 3");
  expect(ofName("KarmadaTargetsMissing").annotations.description).toContain("`kubectl get pods -n fleet`");
  expect(ofName("KarmadaProgramDown").annotations.description).toContain(
    "`kubectl logs -n fleet {{ $labels.process }}`",
  );
});
