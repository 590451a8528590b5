import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const problems = (...clients: object[]) => problemsOf({ pki: { clients } });

test("a client needs no more than a name, and may be another user of a group", () => {
  const clients = [{ name: "argocd" }, { name: "ci", user: "Pipeline@example.org", group: "deployers" }];
  expect(resolve({ pki: { clients } }, context).pki.clients).toEqual(clients);
});

test("users and groups that Kubernetes and Karmada keep for themselves are no client's, but for the one that reads metrics", () => {
  const kept = 'without spaces: not "system:...", which Kubernetes and Karmada keep for themselves';
  const user = `want the name of a user, of at most 64 characters ${kept}`;
  const group = `want the name of a group, of at most 64 characters ${kept}, but for "system:monitoring"`;
  expect(
    problems(
      { name: "a", user: "system:admin" },
      { name: "b", user: "system:karmada:karmada-scheduler", group: "system:masters" },
      { name: "c", group: "system:karmada:agents" },
      { name: "d", group: "system:monitoring:x" },
      { name: "e", user: "a b", group: "" },
      { name: "f", user: "a".repeat(65) },
    ),
  ).toEqual([
    `pki.clients[0].user: got "system:admin", ${user}`,
    `pki.clients[1].user: got "system:karmada:karmada-scheduler", ${user}`,
    `pki.clients[1].group: got "system:masters", ${group}`,
    `pki.clients[2].group: got "system:karmada:agents", ${group}`,
    `pki.clients[3].group: got "system:monitoring:x", ${group}`,
    `pki.clients[4].user: got "a b", ${user}`,
    `pki.clients[4].group: got "", ${group}`,
    `pki.clients[5].user: got "${"a".repeat(65)}", ${user}`,
  ]);
  expect(problems({ name: "prometheus", group: "system:monitoring" })).toEqual([]);
});

test("each client has a name of its own", () => {
  expect(problems({ name: "a" }, { name: "b" }, { name: "a", user: "other" })).toEqual([
    'pki.clients[2].name: got "a", want each name once',
  ]);
  expect(problems({ name: "Argo CD" })).toEqual([
    'pki.clients[0].name: got "Argo CD", want a name such as "argocd": at most 48 lower-case letters, digits and "-", not first or last',
  ]);
});
