import type grpc from "@grpc/grpc-js";
import { toServiceError } from "./errors.ts";

type Handler<Request, Response> = (request: Request, signal: AbortSignal) => Promise<Response>;

/** The calls under way, so that they can be told to stop. */
export class Calls {
  readonly #running = new Set<AbortController>();
  readonly #beforeAnswer: () => Promise<void>;

  /** @param beforeAnswer what every answer waits for; must end by itself and never fail */
  constructor(beforeAnswer: () => Promise<void> = async () => {}) {
    this.#beforeAnswer = beforeAnswer;
  }

  /** A gRPC method from an async function; its signal is aborted on cancel and when the caller hangs up. */
  unary<Request, Response>(handler: Handler<Request, Response>): grpc.handleUnaryCall<Request, Response> {
    return (call, callback) => {
      const controller = new AbortController();
      this.#running.add(controller);
      call.once("cancelled", () => controller.abort(new Error("the engine no longer waits for this request")));
      handler(call.request, controller.signal)
        .finally(() => this.#beforeAnswer())
        .then((response) => callback(null, response))
        .catch((error: unknown) => callback(toServiceError(error)))
        .finally(() => this.#running.delete(controller));
    };
  }

  /** Aborts every call under way. */
  cancel(): void {
    for (const controller of this.#running) controller.abort(new Error("the deployment was cancelled"));
  }
}
