/** Takes the snapshot described on stdin and prints how many seconds it took and the most memory it had. */
import { text } from "node:stream/consumers";
import { takeSnapshot, type SnapshotPlan } from "../../lib/snapshots/take.ts";
import type { EtcdTools } from "../../lib/snapshots/tools.ts";
import { seconds } from "../benchmark.ts";

const { tools, ...plan } = JSON.parse(await text(process.stdin)) as Omit<SnapshotPlan, "tools"> & { tools: EtcdTools };
const took = await seconds(() => takeSnapshot({ ...plan, tools: async () => tools }, "on-demand"));
console.log(JSON.stringify({ took, peakMegabytes: process.resourceUsage().maxRSS / 1000 }));
