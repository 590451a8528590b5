import { alert, of, present, type Rule, seeLog, type Watched } from "../rule.ts";

/** What leads to the API servers, to what is behind them and to etcd: haproxy, which has these metrics built in (addons/promex/README of its sources). */
export function balancerRules(watched: Watched): Rule[] {
  const balancers = present(watched, ["haproxy", "etcd-proxy"]);
  if (balancers.length === 0) return [];
  const series = (...more: readonly string[]) => of(watched, balancers, ...more);
  return [
    alert(watched, {
      name: "KarmadaBalancerServerLeft",
      severity: "warning",
      for: "5m",
      expr: `haproxy_server_status${series('state="DOWN"')} == 1`,
      summary: "{{ $labels.process }} leads nobody to {{ $labels.server }}",
      description: `Either that does not serve (KarmadaProgramDown), or it is not reached from {{ $labels.host }}: look at the network between them. ${seeLog(watched)}`,
    }),
    alert(watched, {
      name: "KarmadaBalancerWithoutServers",
      severity: "critical",
      for: "1m",
      expr: `haproxy_backend_active_servers${series()} == 0`,
      summary: "{{ $labels.process }} has nobody to lead to as {{ $labels.proxy }}",
      description:
        "Whoever it leads there is turned away: clients of the Karmada API (apiservers), its host's API server (what has the name of a component), or its host's programs where it is etcd-proxy. KarmadaBalancerServerLeft names what it has left.",
    }),
    alert(watched, {
      name: "KarmadaBalancerFull",
      severity: "warning",
      for: "10m",
      expr: `haproxy_process_current_connections${series()} / haproxy_process_max_connections${series()} > 0.8`,
      summary: "{{ $labels.process }} has {{ $value | humanizePercentage }} of the connections it can have",
      description:
        "Those that are more wait. Each watch of a client is one for as long as it lasts: look who has so many, or for a limit of open files on {{ $labels.host }} that is lower than usual.",
    }),
  ];
}
