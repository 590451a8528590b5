import { profileIn } from "../../../lib/snapshots/aws-profile.ts";

const text = `# of the company
[default]
aws_access_key_id = A
[backup]
aws_access_key_id = B
aws_secret_access_key = C

[ profile role ]
role_arn = arn:aws:iam::1:role/backup
source_profile = backup
[lost]
source_profile = gone
[round]
source_profile = round
`;

test("a profile is its section, with those it goes by, and nothing of the others", () => {
  const backup = "[backup]\naws_access_key_id = B\naws_secret_access_key = C\n";
  expect(profileIn(text, "backup")).toBe(backup);
  expect(profileIn(text, "role")).toBe(
    `[ profile role ]\nrole_arn = arn:aws:iam::1:role/backup\nsource_profile = backup\n${backup}`,
  );
  expect(profileIn(text, "round")).toBe("[round]\nsource_profile = round\n");
  expect(profileIn("[default]\nx = y", "default")).toBe("[default]\nx = y\n");
});

test("a profile that is not there is named", () => {
  expect(() => profileIn(text, "other")).toThrow('there is no profile "other"');
  expect(() => profileIn(text, "lost")).toThrow('there is no profile "gone"');
  expect(() => profileIn("", "default")).toThrow('there is no profile "default"');
});
