/** The stand-in of the random plugin, for the resource types the program uses. */
import { bridged } from "../bridge/resource-type.ts";
import { packageVersion, serve } from "../server/index.ts";
import { randomBytes } from "./random-bytes.ts";
import { randomId } from "./random-id.ts";
import { randomPassword } from "./random-password.ts";
import { randomString } from "./random-string.ts";
import { randomUuid } from "./random-uuid.ts";

await serve({
  name: "random",
  version: packageVersion("@pulumi/random"),
  acceptSecrets: false,
  autonaming: true,
  resources: {
    "random:index/randomBytes:RandomBytes": bridged(randomBytes),
    "random:index/randomId:RandomId": bridged(randomId),
    "random:index/randomPassword:RandomPassword": bridged(randomPassword),
    "random:index/randomString:RandomString": bridged(randomString),
    "random:index/randomUuid:RandomUuid": bridged(randomUuid),
  },
});
