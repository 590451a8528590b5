import { alert, of, present, type Rule, type Watched } from "../rule.ts";

const controllers = ["karmada-controller-manager", "karmada-agent"];
const reconcilers = [...controllers, "kube-controller-manager", "karmada-scheduler", "karmada-descheduler"];

/** Karmada's purpose: members, and what is propagated to them. */
export function karmadaRules(watched: Watched): Rule[] {
  const { targets } = watched;
  const working = of(watched, present(watched, controllers));
  const manager = (...more: readonly string[]) => of(watched, ["karmada-controller-manager"], ...more);
  const scheduler = of(watched, ["karmada-scheduler"], 'result="error"');
  const errors = (by: string, part: string, whole: string) =>
    `sum by (${by}) (rate(${part}[10m])) / sum by (${by}) (rate(${whole}[10m]))`;
  const failing = (histogram: string, components: readonly string[]) => {
    const counted = `${histogram}_count`;
    const chosen = present(watched, components);
    return errors("process", counted + of(watched, chosen, 'result="error"'), counted + of(watched, chosen));
  };
  const conditions =
    "`kubectl get works -A` in the control plane shows which are not Applied, and their conditions why.";
  return [
    alert(watched, {
      name: "KarmadaClusterNotReady",
      severity: "critical",
      for: "3m",
      expr: `cluster_ready_state${working} == 0`,
      summary: "the member {{ $labels.member_cluster }} is not Ready",
      description:
        "`npm run status` says why. Nothing new is brought to it, and what tolerates no more is moved away from it.",
    }),
    ...(targets.some(({ component }) => component === "karmada-agent")
      ? [
          alert(watched, {
            name: "KarmadaAgentDown",
            severity: "critical",
            for: "3m",
            expr: `up${of(watched, ["karmada-agent"])} == 0`,
            summary: "the agent of the member {{ $labels.member }} does not answer",
            description:
              "Nothing is brought to a member in Pull mode but by its agent. See KarmadaProgramDown for {{ $labels.process }}.",
          }),
        ]
      : []),
    alert(watched, {
      name: "KarmadaQueueLong",
      severity: "warning",
      for: "15m",
      expr: `sum by (component, process, name) (workqueue_depth${of(watched, present(watched, reconcilers))}) > 500`,
      summary: "{{ $value }} objects wait in the queue {{ $labels.name }} of {{ $labels.process }}",
      description:
        "It cannot keep up with its work: a member that answers slowly, too few workers, or a limit of requests. `controlPlane.<component>.extraArgs` has `concurrent-*-syncs`, `kube-api-qps` and `kube-api-burst`.",
    }),
    alert(watched, {
      name: "KarmadaReconcileErrors",
      severity: "warning",
      for: "15m",
      expr: `${errors(
        "component, controller",
        `controller_runtime_reconcile_errors_total${working}`,
        `controller_runtime_reconcile_total${working}`,
      )} > 0.5`,
      summary: "the controller {{ $labels.controller }} fails at {{ $value | humanizePercentage }} of what it does",
      description:
        "Its log names objects and reasons, and so do events: `kubectl get events -A --field-selector type=Warning`.",
    }),
    // A binding is tried again after up to 1000 s, so the window is longer; and one failure alone must end before it is told.
    alert(watched, {
      name: "KarmadaSchedulingErrors",
      severity: "warning",
      for: "30m",
      expr: `sum by (process, schedule_type) (rate(karmada_scheduler_schedule_attempts_total${scheduler}[20m])) > 0`,
      summary: "bindings cannot be scheduled ({{ $labels.schedule_type }})",
      description:
        "No member has room, a quota is used up, or the scheduler fails. `kubectl get resourcebindings -A` shows what is not Scheduled, and its conditions why.",
    }),
    alert(watched, {
      name: "KarmadaPolicyErrors",
      severity: "warning",
      for: "15m",
      expr: `${errors("process", `policy_apply_attempts_total${manager('result="error"')}`, `policy_apply_attempts_total${manager()}`)} > 0.1`,
      summary: "{{ $value | humanizePercentage }} of all attempts to apply a policy to what it selects fail",
      description: "The log of {{ $labels.process }} names the policies and templates, and so do their events.",
    }),
    alert(watched, {
      name: "KarmadaBindingErrors",
      severity: "warning",
      for: "15m",
      expr: `${failing("binding_sync_work_duration_seconds", ["karmada-controller-manager"])} > 0.1`,
      summary: "{{ $value | humanizePercentage }} of all bindings cannot be turned into works",
      description:
        "Mostly an override that does not fit, or an interpreter that fails. Events of the bindings say why.",
    }),
    alert(watched, {
      name: "KarmadaSyncErrors",
      severity: "warning",
      for: "15m",
      expr: `${failing("work_sync_workload_duration_seconds", controllers)} > 0.1`,
      summary: "{{ $labels.process }} fails to bring {{ $value | humanizePercentage }} of all works to members",
      description: conditions,
    }),
    ...(targets.some(({ component }) => component === "karmada-scheduler-estimator")
      ? [
          alert(watched, {
            name: "KarmadaEstimatorErrors",
            severity: "warning",
            for: "15m",
            expr: `sum by (process, member) (rate(karmada_scheduler_estimator_estimating_request_total${of(watched, ["karmada-scheduler-estimator"], 'result="error"')}[10m])) > 0`,
            summary: "the estimator of the member {{ $labels.member }} fails",
            description:
              "karmada-scheduler counts the member's room without it. Does it reach the member? See the log of {{ $labels.process }}.",
          }),
        ]
      : []),
  ];
}
