/** Field of a message, by its number. An enumeration lists its names by number. */
export interface Field {
  readonly number: number;
  readonly kind: "string" | "bytes" | "uint64" | "int64" | "bool" | Enumeration | Message;
  readonly repeated?: boolean;
}
export interface Message {
  readonly fields: Readonly<Record<string, Field>>;
}
export interface Enumeration {
  readonly names: readonly string[];
}

/** A method of etcd's gRPC API, with the parts of its messages that are used here. */
export interface Method {
  readonly path: string;
  readonly request: Message;
  readonly response: Message;
}

const field = (number: number, kind: Field["kind"]): Field => ({ number, kind });
const list = (number: number, kind: Field["kind"]): Field => ({ number, kind, repeated: true });
const message = (fields: Message["fields"]): Message => ({ fields });

const header = field(
  1,
  message({ cluster_id: field(1, "uint64"), member_id: field(2, "uint64"), revision: field(3, "int64") }),
);

const keyValue = message({ key: field(1, "bytes"), mod_revision: field(3, "int64"), value: field(5, "bytes") });

const put = message({ key: field(1, "bytes"), value: field(2, "bytes") });

const compare = message({
  result: field(1, { names: ["EQUAL", "GREATER", "LESS", "NOT_EQUAL"] }),
  target: field(2, { names: ["VERSION", "CREATE", "MOD", "VALUE", "LEASE"] }),
  key: field(3, "bytes"),
  createRevision: field(5, "int64"),
  value: field(7, "bytes"),
});

/**
 * By their names at the JSON gateway, with the fields named as they are there.
 * https://github.com/etcd-io/etcd/blob/v3.6.6/api/etcdserverpb/rpc.proto
 */
export const methods: Readonly<Record<string, Method>> = {
  "kv/range": {
    path: "/etcdserverpb.KV/Range",
    request: message({
      key: field(1, "bytes"),
      rangeEnd: field(2, "bytes"),
      limit: field(3, "int64"),
      sortOrder: field(5, { names: ["NONE", "ASCEND", "DESCEND"] }),
      sortTarget: field(6, { names: ["KEY", "VERSION", "CREATE", "MOD", "VALUE"] }),
      keysOnly: field(8, "bool"),
      countOnly: field(9, "bool"),
    }),
    response: message({ header, kvs: list(2, keyValue), count: field(4, "int64") }),
  },
  "kv/put": { path: "/etcdserverpb.KV/Put", request: put, response: message({ header }) },
  "kv/deleterange": {
    path: "/etcdserverpb.KV/DeleteRange",
    request: message({ key: field(1, "bytes") }),
    response: message({ header }),
  },
  "kv/txn": {
    path: "/etcdserverpb.KV/Txn",
    request: message({ compare: list(1, compare), success: list(2, message({ requestPut: field(2, put) })) }),
    response: message({ header, succeeded: field(2, "bool") }),
  },
  "auth/user/list": {
    path: "/etcdserverpb.Auth/UserList",
    request: message({}),
    response: message({ header, users: list(2, "string") }),
  },
  "cluster/member/list": {
    path: "/etcdserverpb.Cluster/MemberList",
    request: message({ linearizable: field(1, "bool") }),
    response: message({
      header,
      members: list(
        2,
        message({
          ID: field(1, "uint64"),
          name: field(2, "string"),
          peerURLs: list(3, "string"),
          clientURLs: list(4, "string"),
          isLearner: field(5, "bool"),
        }),
      ),
    }),
  },
  "maintenance/alarm": {
    path: "/etcdserverpb.Maintenance/Alarm",
    request: message({ action: field(1, { names: ["GET", "ACTIVATE", "DEACTIVATE"] }) }),
    response: message({
      header,
      alarms: list(
        2,
        message({ memberID: field(1, "uint64"), alarm: field(2, { names: ["NONE", "NOSPACE", "CORRUPT"] }) }),
      ),
    }),
  },
  "maintenance/status": {
    path: "/etcdserverpb.Maintenance/Status",
    request: message({}),
    response: message({
      header,
      version: field(2, "string"),
      dbSize: field(3, "int64"),
      leader: field(4, "uint64"),
      raftIndex: field(5, "uint64"),
      raftAppliedIndex: field(7, "uint64"),
      errors: list(8, "string"),
      dbSizeInUse: field(9, "int64"),
      isLearner: field(10, "bool"),
      storageVersion: field(11, "string"),
      dbSizeQuota: field(12, "int64"),
    }),
  },
};
