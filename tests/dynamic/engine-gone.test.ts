import { setTimeout as sleep } from "node:timers/promises";
import { serialisedProviders, startDynamicProvider } from "./support/dynamic-provider.ts";
import type { DynamicProvider } from "./support/dynamic-provider.ts";

let host: DynamicProvider;
let __provider: string;
beforeAll(async () => {
  const file = new URL("support/lamp.ts", import.meta.url).pathname;
  __provider = (await serialisedProviders([file])).Lamp ?? "";
});
beforeEach(async () => (host = await startDynamicProvider()));
afterEach(() => host.stop());

const lamp = (mood: string) => ({ __provider, name: "a", mood });

/** Waits more than twice as long as it takes to look again. */
const isOver = () => Promise.race([host.ended.then(() => true), sleep(5000, false, { ref: false })]);

test("Pulumi's own process stays with its engine, and ends soon after it, whatever is under way", async () => {
  const endless = host.create(lamp("endless")).catch((error: unknown) => error);
  expect(await isOver()).toBe(false);
  expect((await host.create(lamp("good"))).id).toBe("lamp/a");
  host.loseEngine();
  expect(await isOver()).toBe(true);
  expect(await endless).toBeInstanceOf(Error);
});
