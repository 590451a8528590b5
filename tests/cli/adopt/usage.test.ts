import { wrongUsage } from "../../../cli/adopt/usage.ts";

const wrong = (values: Readonly<Record<string, string>>, ...flags: string[]) =>
  wrongUsage({ values: { kubeconfig: "host.kubeconfig", ...values }, flags: new Set(flags) });

test("what is missing or contradicts itself is said", () => {
  expect(wrong({})).toBeUndefined();
  expect(wrong({ kubeconfig: "" })).toBe("--kubeconfig: missing, want the kubeconfig of the host cluster");
  expect(wrong({ namespace: "" })).toBe('--namespace: got "", want the namespace of the plane that is there');
  expect(wrong({}, "fence", "unfence")).toBe("--fence and --unfence: want one of them");
  expect(wrong({}, "fence", "look")).toBe("--look and --fence: want one of them");
  expect(wrong({ snapshot: "x.db" }, "in-place")).toBe("--in-place and --snapshot: want one of them");
  expect(wrong({ snapshot: "" })).toBe('--snapshot: got "", want the file to write');
  expect(wrong({ namespace: "karmada" })).toBe(
    '--to: got "karmada", want another namespace than that of the plane that is there',
  );
});

test("the namespace of the new plane is no matter where there is none to be", () => {
  expect(wrong({ namespace: "karmada" }, "in-place")).toBeUndefined();
  expect(wrong({ namespace: "karmada", snapshot: "x.db" })).toBeUndefined();
  expect(wrong({ namespace: "karmada", to: "next" })).toBeUndefined();
  expect(wrong({ namespace: "karmada" }, "fence")).toBeUndefined();
  expect(wrong({ namespace: "karmada" }, "unfence")).toBeUndefined();
});
