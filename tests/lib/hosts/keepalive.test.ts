import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "ssh2";
import { dial } from "../../../lib/hosts/dial.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { labHost } from "../../support/lab-host.ts";
import { hasLab } from "../../support/nspawn-lab.ts";
import { startNarrowProxy } from "../../support/slow-proxy.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a login by a line that takes 400 kB a second, asked every 250 ms whether it is alive", () => {
  const { machine } = labHost(48);
  const keepalive = { interval: 250, questions: 3 };
  const line = { isCut: false };

  const login = async () => {
    const { address, ip } = machine();
    const proxy = await startNarrowProxy({ host: ip, port: 22 }, 400_000, () => line.isCut);
    const to = { ...address, address: "127.0.0.1", port: proxy.port };
    const { client } = await dial(to, deadlineIn(30), keepalive);
    client.once("close", () => proxy.close());
    return client;
  };

  /** How many bytes a command there has counted; undefined when the link broke before. */
  const count = (client: Client, bytes: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      client.once("close", () => resolve(undefined));
      client.exec("wc -c", (error, channel) => {
        if (error !== undefined) return reject(error);
        channel.on("data", (said: Buffer) => resolve(Number(said)));
        channel.on("error", () => undefined).end(Buffer.alloc(bytes));
      });
    });

  test("lasts while what is sent arrives, however far behind it the question waits", async () => {
    const client = await login();
    expect(await Promise.all([1, 2, 3].map(() => count(client, 1_000_000)))).toEqual([1e6, 1e6, 1e6]);
    client.end();
  }, 60_000);

  test("is given up a second after nothing arrives any more, sending or not", async () => {
    const [sending, idle] = [await login(), await login()];
    const sent = count(sending, 4_000_000);
    await sleep(2000);
    line.isCut = true;
    const begun = performance.now();
    const closed = [sending, idle].map(async (client) => {
      await new Promise<void>((resolve) => client.once("close", () => resolve()));
      return performance.now() - begun;
    });
    for (const milliseconds of await Promise.all(closed)) {
      expect(milliseconds).toBeGreaterThan(500);
      expect(milliseconds).toBeLessThan(2500);
    }
    expect(await sent).toBeUndefined();
  }, 60_000);
});
