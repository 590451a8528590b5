import grpc from "@grpc/grpc-js";

const method = "/github.com.karmada_io.karmada.pkg.estimator.service.Estimator/MaxAvailableReplicas";

/** How to come to an estimator; without a certificate as a stranger. PEM. */
export interface EstimatorAccess {
  readonly address: string;
  readonly ca: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** Asks an estimator how many replicas of so many cores its member has room for, as karmada-scheduler does. */
export async function maxAvailableReplicas(access: EstimatorAccess, cluster: string, cpu: string): Promise<number> {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  const credentials = grpc.credentials.createSsl(Buffer.from(access.ca), pem(access.key), pem(access.certificate));
  const client = new grpc.Client(access.address, credentials);
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const same = (bytes: Buffer) => bytes;
      const options = { deadline: Date.now() + 10_000 };
      client.makeUnaryRequest(
        method,
        same,
        same,
        question(cluster, cpu),
        new grpc.Metadata(),
        options,
        (error, bytes) => (error ? reject(error) : resolve(bytes ?? Buffer.alloc(0))),
      );
    });
    return answer.length === 0 ? 0 : number(answer);
  } finally {
    client.close();
  }
}

/** MaxAvailableReplicasRequest of pkg/estimator/pb/estimator.proto: cluster = 1, replicaRequirements = 2. */
function question(cluster: string, cpu: string): Buffer {
  const quantity = field(1, cpu);
  const entry = Buffer.concat([field(1, "cpu"), field(2, quantity)]);
  return Buffer.concat([field(1, cluster), field(2, field(resourceRequest, entry))]);
}

/** Number of the map in ReplicaRequirements. */
const resourceRequest = 2;

/** A field of text or of a message, shorter than 128 bytes. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

/** MaxAvailableReplicasResponse: maxReplicas = 1, a varint. */
const number = (answer: Buffer): number =>
  answer.subarray(1).reduce((sum, byte, i) => sum + (byte & 0x7f) * 2 ** (7 * i), 0);
