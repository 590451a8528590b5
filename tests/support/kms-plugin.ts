import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import grpc from "@grpc/grpc-js";
import { decodeMessage, encodeMessage } from "../../lib/etcd/direct/codec.ts";
import type { Message } from "../../lib/etcd/direct/messages.ts";

/** Stands for the plugin of a vendor's key service, with keys in memory: it shows what API servers ask, and no vendor's faults. */
export interface KmsPlugin {
  /** Has it encrypt with another key from now on, as after a rotation in the service; it still decrypts with all. */
  rotate(): void;
  /** Ends it, and the socket it listens at. */
  stop(): Promise<void>;
}

/**
 * Serves `KeyManagementService` of KMS v2. The ids of its keys are `<id>-1`, `<id>-2` and so on.
 *
 * @param address where it listens: `unix:///run/vault.sock`, or a host and a port where something leads there from a socket
 */
export async function startKmsPlugin(address: string, id: string): Promise<KmsPlugin> {
  const keys = new Map<string, Buffer>();
  const rotate = () => void keys.set(`${id}-${keys.size + 1}`, randomBytes(32));
  rotate();
  const server = new grpc.Server();
  server.addService(definition, {
    Status: answering(() => ({ version: "v2", healthz: "ok", key_id: [...keys.keys()].at(-1)! })),
    Encrypt: answering(({ plaintext = "" }) => {
      const [key_id, key] = [...keys].at(-1)!;
      return { ciphertext: sealed(key, plaintext), key_id };
    }),
    Decrypt: answering(({ ciphertext = "", key_id = "" }) => {
      const key = keys.get(key_id);
      if (key === undefined) throw new Error(`there is no key ${key_id}`);
      return { plaintext: opened(key, ciphertext) };
    }),
  });
  await new Promise<void>((resolve, reject) => {
    const done = (error: Error | null) => (error === null ? resolve() : reject(error));
    server.bindAsync(address, grpc.ServerCredentials.createInsecure(), done);
  });
  return { rotate, stop: () => ended(server) };
}

const ended = (server: grpc.Server) =>
  new Promise<void>((resolve) => {
    server.tryShutdown(() => resolve());
    server.forceShutdown();
  });

/** Fields by name; bytes are base64. */
type Fields = Readonly<Partial<Record<string, string>>>;

const message = (numbers: Readonly<Record<string, readonly [number, "string" | "bytes"]>>): Message => ({
  fields: Object.fromEntries(Object.entries(numbers).map(([name, [number, kind]]) => [name, { number, kind }])),
});

/** https://github.com/kubernetes/kms/blob/v0.35.3/apis/v2/api.proto, without `annotations`. */
const definition: grpc.ServiceDefinition = {
  Status: method("Status", {}, { version: [1, "string"], healthz: [2, "string"], key_id: [3, "string"] }),
  Encrypt: method("Encrypt", { plaintext: [1, "bytes"] }, { ciphertext: [1, "bytes"], key_id: [2, "string"] }),
  Decrypt: method("Decrypt", { ciphertext: [1, "bytes"], key_id: [3, "string"] }, { plaintext: [1, "bytes"] }),
};

type Numbers = Parameters<typeof message>[0];

function method(name: string, request: Numbers, response: Numbers): grpc.MethodDefinition<Fields, Fields> {
  const [asked, answered] = [message(request), message(response)];
  return {
    path: `/v2.KeyManagementService/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (fields) => encodeMessage(asked, fields),
    requestDeserialize: (bytes) => decodeMessage(asked, bytes) as Fields,
    responseSerialize: (fields) => encodeMessage(answered, fields),
    responseDeserialize: (bytes) => decodeMessage(answered, bytes) as Fields,
  };
}

const answering =
  (answer: (request: Fields) => Fields): grpc.handleUnaryCall<Fields, Fields> =>
  ({ request }, callback) => {
    try {
      callback(null, answer(request));
    } catch (error) {
      callback({ code: grpc.status.INTERNAL, details: (error as Error).message });
    }
  };

const [nonceBytes, tagBytes] = [12, 16];

function sealed(key: Buffer, plaintext: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(plaintext, "base64"), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64");
}

function opened(key: Buffer, ciphertext: string): string {
  const bytes = Buffer.from(ciphertext, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString("base64");
}
