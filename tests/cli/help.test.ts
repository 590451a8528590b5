import { flagsOfHelp } from "../../cli/flags/help.ts";

test("flags and feature gates are read from the help of a Kubernetes program", () => {
  const help = `The program.

Generic flags:

      --advertise-address ip               The address; see --bind-address.
      --feature-gates mapStringBool        A set of key=value pairs. Options are:
                                           kube:AllAlpha=true|false (ALPHA - default=false)
                                           ContextualLogging=true|false (BETA - default=true)
  -v, --v Level                            number for the log level verbosity
  -h, --help                               help for the program
      --version version[=true]             --version prints it
`;
  expect(flagsOfHelp(help)).toEqual({
    flags: ["advertise-address", "feature-gates", "v"],
    featureGates: { AllAlpha: false, ContextualLogging: true },
  });
});

test("flags are read from the help of etcd", () => {
  const help = `Member:
  --name 'default'
    Human-readable name for this member.
  --feature-gates ''
    Options are:
    CompactHashCheck=true|false (ALPHA - default=false)
`;
  expect(flagsOfHelp(help)).toEqual({ flags: ["feature-gates", "name"], featureGates: { CompactHashCheck: false } });
});
