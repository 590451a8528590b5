import { quantile, rate, slowest } from "../promql.ts";
import { alert, of, type Rule, type Watched } from "../rule.ts";

const day = 24 * 60 * 60;

/** The API servers of the control plane, and what is behind them. */
export function apiRules(watched: Watched): Rule[] {
  const api = (...more: readonly string[]) => of(watched, ["kube-apiserver"], ...more);
  const share = (part: string, whole: string) => `${rate("process", part)} / ${rate("process", whole)}`;
  const soon = Math.min(7 * day, watched.renewBeforeSeconds / 2);
  return [
    alert(watched, {
      name: "KarmadaApiErrors",
      severity: "critical",
      for: "10m",
      expr: `${share(`apiserver_request_total${api('code=~"5.."')}`, `apiserver_request_total${api()}`)} > 0.05`,
      summary: "{{ $labels.process }} answers {{ $value | humanizePercentage }} of all requests with an error",
      description:
        "Look whether etcd serves (KarmadaEtcd...), and the APIs behind it (KarmadaApiUnavailable); `kubectl get --raw /readyz?verbose` says what it finds itself.",
    }),
    alert(watched, {
      name: "KarmadaApiSlow",
      severity: "warning",
      for: "10m",
      expr: `${slowest("process, verb", "apiserver_request_duration_seconds", api('verb!~"WATCH|WATCHLIST|CONNECT"', 'subresource!="proxy"'))} > 2`,
      summary: "{{ $labels.process }} takes {{ $value | humanizeDuration }} for a {{ $labels.verb }}",
      description:
        "One in a hundred takes as long. Compare with KarmadaStorageSlow: where etcd is as quick as ever, somebody asks for much; `apiserver_request_total` says of what kind.",
    }),
    alert(watched, {
      name: "KarmadaStorageSlow",
      severity: "warning",
      for: "10m",
      expr: `${slowest("process, operation", "etcd_request_duration_seconds", api())} > 1`,
      summary: "etcd takes {{ $value | humanizeDuration }} for a {{ $labels.operation }} of {{ $labels.process }}",
      description: "One in a hundred takes as long. See the disks of etcd's members and the network to them.",
    }),
    alert(watched, {
      name: "KarmadaApiUnavailable",
      severity: "critical",
      for: "5m",
      expr: `aggregator_unavailable_apiservice${api()} == 1`,
      summary: "{{ $labels.process }} has no answer for the API {{ $labels.name }}",
      description:
        "`kubectl get apiservice {{ $labels.name }} -o yaml` says why: the server behind it does not run, or is not reached. Without v1alpha1.cluster.karmada.io no member is.",
    }),
    alert(watched, {
      name: "KarmadaWebhookUnreachable",
      severity: "critical",
      for: "5m",
      expr: `sum by (process, name) (rate(apiserver_admission_webhook_rejection_count${api('error_type!="no_error"')}[5m])) > 0`,
      summary: "{{ $labels.process }} refuses requests because of the webhook {{ $labels.name }}",
      description:
        "It did not answer, or not with what was understood. For one of karmada.io look whether karmada-webhook runs and at its certificate; others are yours.",
    }),
    alert(watched, {
      name: "KarmadaClientCertificateEnds",
      severity: "warning",
      for: "5m",
      expr: `${quantile(0.01, "process", "apiserver_client_certificate_expiration_seconds", api())} < ${soon}`,
      summary: "a client of {{ $labels.process }} shows a certificate that expires in {{ $value | humanizeDuration }}",
      description:
        "Those of this deployment are renewed by an `up` (KarmadaCertificateDue names them); kubeconfigs of people that were signed for less time are renewed by whoever signed them.",
    }),
  ];
}
