import { certificatesDue, dueLines } from "../../cli/stack/certificates-due.ts";

const now = new Date("2026-11-30T12:00:00Z");
const certificates = {
  admin: "2027-01-15T12:00:00Z",
  apiserver: "2026-12-12T09:00:00Z",
  "etcd-server": "2026-11-28T11:00:00Z",
};

test("certificates with less than a month left are due, those that have ended first, each in a line", () => {
  const due = certificatesDue({ certificates }, now);
  expect(due).toEqual([
    { name: "etcd-server", ends: "2026-11-28T11:00:00Z", ended: true },
    { name: "apiserver", ends: "2026-12-12T09:00:00Z", ended: false },
  ]);
  expect(dueLines(due, now)).toEqual([
    "certificate etcd-server: ENDED 2d1h ago",
    "certificate apiserver: ends in 11d21h, due for renewal",
  ]);
});

test("where a stack tells when it renews them, that counts", () => {
  const due = (renewBefore: "240h" | "1440h") =>
    certificatesDue({ certificates, joining: { lifetimes: { certificateValidity: "8760h", renewBefore } } }, now).map(
      ({ name }) => name,
    );
  expect(due("240h")).toEqual(["etcd-server"]);
  expect(due("1440h")).toEqual(["etcd-server", "apiserver", "admin"]);
  expect(certificatesDue({}, now)).toEqual([]);
});
