import { isMap, reveal, Secret, secret, Unknown } from "../../server/index.ts";
import type { Properties, Value } from "../../server/index.ts";
import type { Field, Fields } from "../fields.ts";

/** Where and how to log in, opened: never log it. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  /** PEM. */
  readonly privateKey?: string;
  readonly privateKeyPassword?: string;
  readonly agentSocketPath?: string;
  /** Failed attempts after which it gives up; -1 for never. */
  readonly dialErrorLimit: number;
  /** In seconds; 0 for no limit. */
  readonly perDialTimeout: number;
  /** The only key accepted, as in authorized_keys. @default any */
  readonly hostKey?: string;
}

export interface Connection extends Endpoint {
  /** A host to go through. */
  readonly proxy?: Endpoint;
}

const DEFAULTS = { user: "root", port: 22, dialErrorLimit: 10, perDialTimeout: 15 };
const SECRETS = ["password", "privateKey", "privateKeyPassword"];

const endpointFields: Fields = {
  user: { type: "string" },
  password: { type: "string" },
  host: { type: "string", required: true },
  port: { type: "number" },
  privateKey: { type: "string" },
  privateKeyPassword: { type: "string" },
  agentSocketPath: { type: "string" },
  dialErrorLimit: { type: "number" },
  perDialTimeout: { type: "number" },
  hostKey: { type: "string" },
};
const proxy: Field = { type: "object", name: "remote.ProxyConnection", fields: endpointFields };

/** The `connection` input. */
export const connectionField: Field = {
  type: "object",
  name: "remote.Connection",
  fields: { ...endpointFields, proxy },
  required: true,
};

/** The checked inputs: defaults filled in when all is well, the connection secret in any case. */
export function secureConnection(inputs: Properties, isValid: boolean): Properties {
  const connection = open(inputs["connection"]);
  if (connection === undefined) return inputs;
  if (!isMap(connection)) return { ...inputs, connection: secret(connection) };
  const hop = open(connection["proxy"]);
  const secured = secure({
    ...(isValid ? withDefaults(connection) : connection),
    ...(isMap(hop) && { proxy: secure(isValid ? withDefaults(hop) : hop) }),
  });
  return { ...inputs, connection: secret(secured) };
}

/** The connection of checked inputs or a state, opened. */
export function openConnection(inputs: Properties): Connection {
  const connection = reveal(inputs)["connection"] as Properties;
  const hop = connection["proxy"];
  return { ...withDefaults(connection), ...(isMap(hop) && { proxy: withDefaults(hop) }) } as unknown as Connection;
}

function withDefaults(endpoint: Properties): Properties {
  return { ...DEFAULTS, ...Object.fromEntries(Object.entries(endpoint).filter(([, value]) => value !== null)) };
}

function secure(endpoint: Properties): Properties {
  return Object.fromEntries(
    Object.entries(endpoint).map(([name, value]) => [
      name,
      SECRETS.includes(name) && value !== null ? secret(value) : value,
    ]),
  );
}

function open(value: Value): Value {
  if (value instanceof Unknown) return value;
  return value instanceof Secret ? open(value.value) : value;
}
