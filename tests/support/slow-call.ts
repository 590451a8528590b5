import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls a server by HTTP/2, with half of what it has to say; does something, and says the rest when that is known to have
 * begun. @returns what it is answered with
 */
export async function callMeanwhile(
  url: string,
  body: string,
  meanwhile: () => void,
): Promise<{ status: number; text: string }> {
  const { origin, pathname } = new URL(url);
  const session = connect(origin, { rejectUnauthorized: false });
  const gone = once(session, "goaway");
  try {
    const request = session.request({
      ":method": "POST",
      ":path": pathname,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    request.setEncoding("utf8").setTimeout(10_000, () => request.destroy(new Error("no answer within 10 s")));
    const answered = once(request, "response");
    answered.catch(() => {});
    const half = Math.floor(body.length / 2);
    request.write(body.slice(0, half));
    await sleep(500);
    meanwhile();
    await Promise.race([
      gone,
      sleep(5000, undefined, { ref: false }).then(() => Promise.reject(new Error("the server does not end"))),
    ]);
    request.end(body.slice(half));
    const [headers] = (await answered) as [Record<string, unknown>];
    const text = (await request.toArray()).join("");
    return { status: Number(headers[":status"]), text };
  } finally {
    session.destroy();
  }
}
