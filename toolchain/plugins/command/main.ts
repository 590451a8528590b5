/** The stand-in of the command plugin, for the resource types the program uses. */
import { packageVersion, serve } from "../server/index.ts";
import { localCommand } from "./local/command.ts";
import { localRun } from "./local/run-function.ts";
import { remoteCommand } from "./remote/command.ts";
import { copyToRemote } from "./remote/copy-to-remote.ts";

await serve({
  name: "command",
  version: packageVersion("@pulumi/command"),
  resources: {
    "command:local:Command": localCommand,
    "command:remote:Command": remoteCommand,
    "command:remote:CopyToRemote": copyToRemote,
  },
  functions: { "command:local:run": localRun },
});
