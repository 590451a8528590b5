/** What is taken off hosts that do not answer, or not yet. */
import { jest } from "@jest/globals";
import type { HostAddress } from "../../../lib/hosts/address.ts";
import { OtherMachine } from "../../../lib/hosts/dial.ts";
import { Unreachable } from "../../../lib/hosts/transport.ts";
import { noteReplaced, removeWhereReachable } from "../../../providers/hosts/out-of-reach.ts";

const hostOf = (name: string): HostAddress => ({
  kind: "ssh",
  name,
  address: "127.0.0.1",
  port: 22,
  user: "root",
  hostKey: "SHA256:x",
});

const away = (cause?: Error) => new Unreachable("host: removing: no answer", "no answer", { cause });

let said: string[];
beforeEach(() => {
  said = [];
  jest.spyOn(console, "log").mockImplementation((sentence) => void said.push(String(sentence).split("\n")[0]!));
});
afterEach(() => void jest.restoreAllMocks());

test("a host that is being started anew is waited for, once however much is to be taken off", async () => {
  const up = performance.now() + 2500;
  let removed = 0;
  const remove = async () => {
    if (performance.now() < up) throw away();
    removed++;
  };
  await Promise.all([1, 2, 3].map(() => removeWhereReachable(hostOf("host1"), remove)));
  expect(removed).toBe(3);
  expect(said).toEqual(["host1 (127.0.0.1): does not answer; waiting 120 s for it"]);
});

test("one that nobody comes to in the end is let go of, and not waited for again", async () => {
  const began = performance.now();
  await Promise.all([1, 2].map(() => removeWhereReachable(hostOf("host2"), () => Promise.reject(away()), 2)));
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(1900);
  await removeWhereReachable(hostOf("host2"), () => Promise.reject(away()), 2);
  expect(performance.now() - began - took).toBeLessThan(500);
  expect(said).toEqual([
    "host2 (127.0.0.1): does not answer; waiting 2 s for it",
    "warning: host2 (127.0.0.1): cannot be reached: no answer",
  ]);
});

test("one that another has replaced under its name is not waited for, and why is said", async () => {
  const said: unknown[] = [];
  jest.spyOn(console, "log").mockImplementation((sentence) => void said.push(sentence));
  const began = performance.now();
  noteReplaced(hostOf("host5"), { ...hostOf("host5"), address: "127.0.0.5" });
  await removeWhereReachable(hostOf("host5"), () => Promise.reject(away()));
  expect(performance.now() - began).toBeLessThan(500);
  expect(said).toEqual([
    expect.stringMatching(
      /^warning: host5 \(127\.0\.0\.1\): cannot be reached: no answer\nit is not waited for any longer, since 127\.0\.0\.5 has its name now\nleft there: /,
    ),
  ]);
});

test("another machine in its place is not waited for", async () => {
  const began = performance.now();
  const other = away(new Unreachable("another host key", "another host key", { cause: new OtherMachine("key") }));
  await removeWhereReachable(hostOf("host3"), () => Promise.reject(other));
  expect(performance.now() - began).toBeLessThan(500);
  expect(said).toEqual(["warning: host3 (127.0.0.1): cannot be reached: no answer"]);
});

test("what goes wrong on a host that answers is no reason to let go of it", async () => {
  const failure = new Error("host4: removing: exit code 1");
  await expect(removeWhereReachable(hostOf("host4"), () => Promise.reject(failure))).rejects.toBe(failure);
});
