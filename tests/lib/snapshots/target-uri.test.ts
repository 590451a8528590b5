import type { TargetSettings } from "../../../lib/snapshots/target-settings.ts";
import { targetName, targetUri } from "../../../lib/snapshots/target-uri.ts";

const bucket: TargetSettings = {
  kind: "s3",
  bucket: "karmada-backup",
  prefix: "etcd",
  region: "us-east-1",
  credentials: { kind: "keys", accessKeyId: "AKIA", secretAccessKey: "secret" },
};
const uri = "s3://karmada-backup/etcd/prod";

test("buckets of the same name at different servers have different names, without any login", () => {
  const endpoints = ["https://minio.example.org:9000", "https://10.0.0.7"];
  expect(endpoints.map((endpoint) => targetName({ ...bucket, endpoint }, "prod"))).toEqual(
    endpoints.map((endpoint) => `${uri}?endpoint=${endpoint}`),
  );
  expect(targetUri({ ...bucket, endpoint: "https://10.0.0.7" }, "prod")).toBe(uri);
});

test("a bucket of AWS, and a directory, have their URI for a name", () => {
  expect(targetName(bucket, "prod")).toBe(uri);
  expect(targetName({ kind: "local", directory: "/backup/" }, "prod")).toBe("file:///backup/prod");
});
