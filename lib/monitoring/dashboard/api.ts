import { rate, slowest } from "../promql.ts";
import { of, type Watched } from "../rule.ts";
import type { Panel } from "./panel.ts";

/** The API servers of the control plane. */
export function apiPanels(watched: Watched): Panel[] {
  const api = (...more: readonly string[]) => of(watched, ["kube-apiserver"], ...more);
  return [
    {
      title: "Requests",
      description: "By what they were answered with.",
      kind: "over time",
      unit: "reqps",
      queries: [{ expr: rate("code", `apiserver_request_total${api()}`), legend: "{{code}}" }],
    },
    {
      title: "Requests answered with an error of the server's",
      description: "A share of all; 5 % for ten minutes is an alert.",
      kind: "over time",
      unit: "percentunit",
      queries: [
        {
          // Without the second part there would be no value if nothing failed.
          expr: `${rate("process", `apiserver_request_total${api('code=~"5.."')}`)} / ${rate("process", `apiserver_request_total${api()}`)} or 0 * ${rate("process", `apiserver_request_total${api()}`)}`,
          legend: "{{process}}",
        },
      ],
      thresholds: [0.01, 0.05],
    },
    {
      title: "Time to answer",
      description: "What one request in a hundred exceeds; what is meant to stay open is left out.",
      kind: "over time",
      unit: "s",
      queries: [
        {
          expr: slowest(
            "verb",
            "apiserver_request_duration_seconds",
            api('verb!~"WATCH|WATCHLIST|CONNECT"', 'subresource!="proxy"'),
          ),
          legend: "{{verb}}",
        },
      ],
    },
    {
      title: "Requests at once",
      description: "Beyond --max-requests-inflight and --max-mutating-requests-inflight others wait.",
      kind: "over time",
      unit: "short",
      queries: [
        {
          expr: `sum by (process, request_kind) (apiserver_current_inflight_requests${api()})`,
          legend: "{{process}} {{request_kind}}",
        },
      ],
    },
    {
      title: "Time that etcd takes for them",
      description: "What one in a hundred exceeds, as the API servers see it.",
      kind: "over time",
      unit: "s",
      queries: [{ expr: slowest("operation", "etcd_request_duration_seconds", api()), legend: "{{operation}}" }],
    },
    {
      title: "APIs behind them that do not answer",
      description:
        "0 is as it should be. Without v1alpha1.cluster.karmada.io no member is reached through the Karmada API.",
      kind: "over time",
      unit: "short",
      queries: [{ expr: `max by (name) (aggregator_unavailable_apiservice${api()})`, legend: "{{name}}" }],
    },
  ];
}
