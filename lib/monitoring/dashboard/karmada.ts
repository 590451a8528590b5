import { rate, slowest } from "../promql.ts";
import { of, present, type Watched } from "../rule.ts";
import type { Panel } from "./panel.ts";

const controllers = ["karmada-controller-manager", "karmada-agent"];

/** Karmada's purpose: members, and what is propagated to them. */
export function karmadaPanels(watched: Watched): Panel[] {
  const working = of(watched, present(watched, controllers));
  const manager = of(watched, ["karmada-controller-manager"]);
  const scheduler = of(watched, ["karmada-scheduler"]);
  const ready = `max by (member_cluster) (cluster_ready_state${working})`;
  return [
    {
      title: "Members that are Ready",
      description: "How many there are, and how many of them Karmada reaches; `npm run status` says why one is not.",
      kind: "now",
      unit: "short",
      queries: [
        { expr: `count(${ready})`, legend: "members" },
        { expr: `sum(${ready})`, legend: "Ready" },
      ],
    },
    {
      title: "Ready or not, by member",
      description: "1 while it is Ready.",
      kind: "over time",
      unit: "short",
      queries: [{ expr: ready, legend: "{{member_cluster}}" }],
    },
    {
      title: "Attempts to schedule",
      description:
        "By what came of them; errors that stay mean that no member has room, or a quota is used up. What no member fits counts as scheduled.",
      kind: "over time",
      unit: "ops",
      queries: [
        {
          expr: rate("result, schedule_type", `karmada_scheduler_schedule_attempts_total${scheduler}`),
          legend: "{{result}} {{schedule_type}}",
        },
      ],
    },
    {
      title: "Time to schedule",
      description: "What one attempt in a hundred exceeds.",
      kind: "over time",
      unit: "s",
      queries: [
        {
          expr: slowest("schedule_type", "karmada_scheduler_e2e_scheduling_duration_seconds", scheduler),
          legend: "{{schedule_type}}",
        },
      ],
    },
    {
      title: "Policies applied, and bindings made works",
      description: "By what came of them: a policy to what it selects, a binding to works, one for each member.",
      kind: "over time",
      unit: "ops",
      queries: [
        { expr: rate("result", `policy_apply_attempts_total${manager}`), legend: "policies {{result}}" },
        { expr: rate("result", `binding_sync_work_duration_seconds_count${manager}`), legend: "bindings {{result}}" },
      ],
    },
    {
      title: "Works brought to members",
      description: "By what came of them. `kubectl get works -A` shows which are not Applied.",
      kind: "over time",
      unit: "ops",
      queries: [
        {
          expr: rate("component, result", `work_sync_workload_duration_seconds_count${working}`),
          legend: "{{component}} {{result}}",
        },
      ],
    },
    {
      title: "Time to bring a work to its member",
      description: "What one in a hundred exceeds: the API server of a member that is slow, or far.",
      kind: "over time",
      unit: "s",
      queries: [{ expr: slowest("process", "work_sync_workload_duration_seconds", working), legend: "{{process}}" }],
    },
    {
      title: "Waiting in queues",
      description: "The ten longest. One that grows has a controller that cannot keep up.",
      kind: "over time",
      unit: "short",
      queries: [
        { expr: `topk(10, sum by (process, name) (workqueue_depth${working}))`, legend: "{{process}} {{name}}" },
      ],
    },
  ];
}
