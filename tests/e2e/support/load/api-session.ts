import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { parseKubeconfig, type Connection } from "../../../../lib/kube/kubeconfig.ts";

const pingMilliseconds = 1000;

/**
 * A client of an API server over one HTTP/2 connection, as Kubernetes' own clients are with
 * `HTTP2_READ_IDLE_TIMEOUT_SECONDS=1` and `HTTP2_PING_TIMEOUT_SECONDS=1`: a connection whose ping is not answered is given
 * up, and the next question makes another. No question is asked a second time but one that the server says it has not looked
 * at, since it was just saying goodbye: the transport of every Go client does so, below any retries of theirs (RFC 9113, 8.7).
 */
export class ApiSession {
  readonly #connection: Connection;
  readonly #patience: number;
  #session: ClientHttp2Session | undefined;

  /** @param patience milliseconds within which it must be connected, and a ping answered */
  constructor(kubeconfig: string, patience = 1000) {
    this.#connection = parseKubeconfig(kubeconfig);
    this.#patience = patience;
  }

  /** The body of a good answer. @throws for any other, and when none comes in time */
  async ask(method: string, path: string, question: Question = {}): Promise<string> {
    const stream = this.#send(method, path, question.body);
    try {
      return await this.#answer(stream, question, `${method} ${path}`);
    } catch (error) {
      if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) throw error;
      this.#session = undefined;
      return this.#answer(this.#send(method, path, question.body), question, `${method} ${path}`);
    }
  }

  async #answer(stream: ClientHttp2Stream, { milliseconds = 1000 }: Question, asked: string): Promise<string> {
    let answer = "";
    const timer = setTimeout(() => {
      stream.destroy(new Error(`no answer within ${milliseconds} ms`));
    }, milliseconds);
    try {
      const status = await statusOf(stream);
      for await (const part of stream) answer += String(part);
      if (status >= 400) throw new Error(`${asked}: ${status}: ${answer.slice(0, 800)}`);
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The lines of an answer as they come, until it ends. */
  async *lines(path: string): AsyncGenerator<string> {
    const stream = this.#send("GET", path);
    try {
      if ((await statusOf(stream)) >= 400) throw new Error(`GET ${path}: refused`);
      let rest = "";
      for await (const part of stream) {
        const lines = (rest + String(part)).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      stream.destroy();
    }
  }

  /** The next question makes a new connection. */
  drop(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #send(method: string, path: string, body?: object): ClientHttp2Stream {
    const headers = { ":method": method, ":path": path, accept: "application/json" };
    const stream = this.#connected().request({
      ...headers,
      ...(body !== undefined && { "content-type": "application/json" }),
    });
    stream.setEncoding("utf8");
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    return stream;
  }

  #connected(): ClientHttp2Session {
    return (this.#session ??= this.#connect());
  }

  #connect(): ClientHttp2Session {
    const { server, ca, certificate: cert, key } = this.#connection;
    const session = connect(server, { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    let answered = false;
    const patience = setTimeout(() => answered || giveUp(session, this.#patience, "connected"), this.#patience);
    session.once("connect", () => (answered = true));
    const pings = setInterval(() => {
      if (answered) ping(session, this.#patience);
    }, pingMilliseconds);
    session.once("close", () => {
      clearTimeout(patience);
      clearInterval(pings);
      forget();
    });
    // What is under way on it says so itself. Who says goodbye answers what was asked before.
    session.on("error", forget).on("goaway", forget);
    return session;
  }
}

export interface Question {
  readonly body?: object;
  /** @default 1000 */
  readonly milliseconds?: number;
}

function ping(session: ClientHttp2Session, patience: number): void {
  if (session.closed || session.destroyed) return;
  const timer = setTimeout(() => {
    giveUp(session, patience, "answered to a ping");
  }, patience);
  session.ping(() => {
    clearTimeout(timer);
  });
}

function giveUp(session: ClientHttp2Session, patience: number, what: string): void {
  session.destroy(new Error(`not ${what} within ${patience} ms`));
}

function statusOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.once("response", (headers) => resolve(Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("the connection ended before an answer")));
  });
}
