import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";

/** How a gRPC call ended. */
export interface Outcome {
  /** In decimal; absent when the connection was cut. */
  readonly status?: string | undefined;
  readonly said?: string | undefined;
}

/** Before each message: whether it is compressed, which it never is here, and its length. */
export const prefixBytes = 5;

/**
 * Makes a call of gRPC, whose messages are plain frames of HTTP/2.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 * @param path for instance `/etcdserverpb.KV/Put`
 */
export function beginCall(session: ClientHttp2Session, path: string, message: Uint8Array): ClientHttp2Stream {
  const call = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: path,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
    [constants.HTTP2_HEADER_TE]: "trailers",
  });
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return call.end(Buffer.concat([prefix, message]));
}

/** How it ends: in trailers, or in the headers when it fails at once. */
export function outcomeOf(call: ClientHttp2Stream): Promise<Outcome> {
  const text = (value: string | string[] | undefined) => (value === undefined ? undefined : String(value));
  const read = (headers: IncomingHttpHeaders): Outcome => ({
    status: text(headers["grpc-status"]),
    said: text(headers["grpc-message"]),
  });
  return new Promise((resolve) => {
    call.once("response", (headers) => {
      if (headers["grpc-status"] !== undefined) resolve(read(headers));
      else if (headers[":status"] !== 200) resolve({ said: `HTTP ${headers[":status"]}` });
    });
    call.once("trailers", (headers) => resolve(read(headers)));
    call.once("close", () => resolve({}));
  });
}
