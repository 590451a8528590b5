import type { EtcdClient } from "./client.ts";
import type { StrayAlarm } from "./stray-alarm.ts";

/** Ends an alarm, whether or not its member still exists; one that is over already stays so. */
export async function disarm(client: EtcdClient, endpoint: string, { id, alarm }: StrayAlarm): Promise<void> {
  const body = { action: "DEACTIVATE", memberID: BigInt(`0x${id}`).toString(), alarm };
  await client.call(endpoint, "maintenance/alarm", body, 8000);
}
