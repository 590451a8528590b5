import { pipeline } from "node:stream/promises";
import { limit } from "../../toolchain/limit.ts";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { namespacedPath } from "../../lib/kube/paths.ts";
import type { Source } from "./collect.ts";
import { eventsIn, listOf, shown } from "./objects.ts";
import { fileName, type Into } from "./parts.ts";
import type { PodsPlace } from "./places.ts";
import { Tail } from "./tail.ts";

/** Programs of a deployment in a host cluster: pods and what keeps them, events, and the logs of all containers. */
export const podParts = ({ kubeconfig, namespace }: PodsPlace, since: number): readonly Source[] => {
  const directory = `host-cluster/${fileName(namespace)}/`;
  const kinds = ["pods", "deployments", "statefulsets"].map((kind): Source => {
    const path = `${directory}${kind}.json`;
    const read = async (into: Into) =>
      into.put(path, (await listOf(await connect(kubeconfig), namespacedPath(namespace, kind))).map(shown));
    return { path, read };
  });
  const events: Source = {
    path: `${directory}events.json`,
    read: async (into) =>
      into.put(
        `${directory}events.json`,
        await eventsIn(await connect(kubeconfig), namespacedPath(namespace, "events")),
      ),
  };
  return [...kinds, events, logsIn({ kubeconfig, namespace }, `${directory}logs/`, since)];
};

const logsIn = ({ kubeconfig, namespace }: PodsPlace, directory: string, since: number): Source => ({
  path: directory,
  seconds: 180,
  read: async (into) => {
    const client = await connect(kubeconfig);
    const pods = await listOf(client, namespacedPath(namespace, "pods"));
    const inTurn = limit(mostAtOnce);
    await Promise.all(
      pods.flatMap(logsOf).map(async (log) => {
        const path = `${directory}${log.file}`;
        const pod = namespacedPath(namespace, "pods", log.pod);
        const text = await inTurn(() => read(client, pod, log, since)).catch((error: unknown) =>
          into.lacks(path, error),
        );
        if (text !== undefined && text !== "") await into.put(path, text);
      }),
    );
  },
});

/** Logs that the API server is asked for at a time. */
const mostAtOnce = 6;

/** A log of a container: of the one that runs, or of the one before it. */
interface PodLog {
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly file: string;
}

function logsOf({ metadata, status }: KubeObject): PodLog[] {
  const pod = metadata?.name ?? "";
  const containers = [
    ...((status?.initContainerStatuses ?? []) as KubeObject[]),
    ...((status?.containerStatuses ?? []) as KubeObject[]),
  ];
  return containers.flatMap(({ name, restartCount, state }) => {
    const container = String(name);
    const file = `${fileName(pod)}/${fileName(container)}`;
    const begun = state?.running !== undefined || state?.terminated !== undefined;
    return [
      ...(begun ? [{ pod, container, previous: false, file: `${file}.log` }] : []),
      ...(Number(restartCount) > 0 ? [{ pod, container, previous: true, file: `${file}.previous.log` }] : []),
    ];
  });
}

async function read(client: KubeClient, path: string, log: PodLog, since: number): Promise<string> {
  const query = {
    container: log.container,
    sinceSeconds: String(since),
    timestamps: "true",
    ...(log.previous && { previous: "true" }),
  };
  const tail = new Tail();
  await pipeline(await client.open("GET", `${path}/log`, { query, timeout: 60_000 }), tail);
  return tail.text;
}
