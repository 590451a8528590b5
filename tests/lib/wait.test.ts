import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";

test("a wait ends with the first attempt that works", async () => {
  const answers = [new Error("refused"), new Pending("2 of 3"), "done"];
  const attempt = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as string | Pending;
  };
  expect(await waitFor("it", deadlineIn(5), attempt, { interval: 1 })).toBe("done");
});

test("a wait that fails says how long, for what, and the last answer", async () => {
  const wait = waitFor("3 members", deadlineIn(0.1), async () => new Pending("2 healthy"), { interval: 5 });
  await expect(wait).rejects.toThrow("waited 0.1s for 3 members: 2 healthy");
});

test("the error of the last attempt is kept as the cause", async () => {
  const refused = new Error("connection refused");
  const wait = waitFor("the API", deadlineIn(0.05), () => Promise.reject(refused), { interval: 5 });
  await expect(wait).rejects.toMatchObject({ cause: refused });
});

test("an error that no attempt can mend ends the wait at once", async () => {
  const denied = new Error("denied");
  const attempt = () => Promise.reject(denied);
  await expect(waitFor("the API", deadlineIn(60), attempt, { fatal: (error) => error === denied })).rejects.toBe(
    denied,
  );
});

test("what the deadline itself interrupts does not hide the answer before it", async () => {
  const deadline = deadlineIn(0.2);
  let attempts = 0;
  const attempt = async () => {
    if (attempts++ === 0) throw new Error("503 etcd is starting");
    await new Promise((resolve) => deadline.signal.addEventListener("abort", resolve, { once: true }));
    throw new Error("aborted");
  };
  await expect(waitFor("the API", deadline, attempt, { interval: 1 })).rejects.toThrow(/: 503 etcd is starting$/);
});

test("an attempt that is longer than the deadline is not cut short, and the time it took is told", async () => {
  const attempt = () => new Promise<Pending>((resolve) => setTimeout(() => resolve(new Pending("asked once")), 2300));
  await expect(waitFor("the host", deadlineIn(0.2), attempt)).rejects.toThrow("waited 2.2s for the host: asked once");
});

test("minutes are written as minutes", async () => {
  const deadline = { ...deadlineIn(0.01), seconds: 90 };
  await expect(waitFor("it", deadline, async () => new Pending("no"), { interval: 20 })).rejects.toThrow(
    "waited 1m30s for it: no",
  );
});
