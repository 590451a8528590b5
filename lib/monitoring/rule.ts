import type { Monitored } from "./monitored.ts";

/** A rule that Prometheus evaluates: an alert, or a recorded value. */
export type Rule = AlertRule | RecordedValue;

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to hold, for instance `5m`. */
  readonly for: `${number}${"m" | "h"}`;
  readonly labels: { readonly severity: "warning" | "critical"; readonly deployment: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

export interface RecordedValue {
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What rules are about: a deployment, and what of it can be watched. */
export interface Watched extends Omit<Monitored, "authority" | "certificate" | "key"> {
  /** Ends of certificates by name, RFC 3339; authorities are called `ca-<name>`. */
  readonly certificateEnds: Readonly<Record<string, string>>;
}

/** An alert without its deployment. */
interface Alert extends Pick<AlertRule, "expr" | "for"> {
  readonly name: string;
  readonly severity: AlertRule["labels"]["severity"];
  readonly summary: string;
  readonly description: string;
}

/** An alert of this deployment. */
export function alert(
  { deployment }: Watched,
  { name, severity, expr, for: lasting, summary, description }: Alert,
): AlertRule {
  return { alert: name, expr, for: lasting, labels: { severity, deployment }, annotations: { summary, description } };
}

/** Matchers for series of this deployment, of some of its components, with further ones if needed. */
export function of({ deployment }: Watched, components: readonly string[] = [], ...more: readonly string[]): string {
  const [only] = components;
  const chosen =
    components.length > 1
      ? [`component=~"${components.join("|")}"`]
      : only === undefined
        ? []
        : [`component="${only}"`];
  return `{${[`deployment="${deployment}"`, ...chosen, ...more].join(",")}}`;
}

/** Those of some components that the deployment has. */
export const present = ({ targets }: Watched, components: readonly string[]): string[] =>
  components.filter((component) => targets.some((target) => target.component === component));

/** The end of a description: where to read what the program of a target itself says. */
export function seeLog({ targets, pods }: Watched): string {
  if (pods !== undefined) return `Its own words: \`kubectl logs -n ${pods.namespace} {{ $labels.process }}\`.`;
  return targets.some((target) => "host" in target)
    ? "Its own words: `journalctl -u karmada-{{ $labels.process }}` on {{ $labels.host }}."
    : "Its own words: logs/{{ $labels.process }}.log below the directory of the deployment.";
}
