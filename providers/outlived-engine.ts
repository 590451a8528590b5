import { whenEngineGone } from "../toolchain/plugins/server/engine-gone.ts";

/**
 * Ends Pulumi's own dynamic-provider process once its engine is gone. It does not look after that itself: after an `up`
 * that was killed it would carry out what was under way, beside the next `up`, and then stay for ever. The stand-in for
 * it looks from its start on, and any other process that loads implementations has no engine.
 */
const isPulumisOwn = process.argv[1]?.endsWith("/@pulumi/pulumi/cmd/dynamic-provider/index.js") ?? false;

if (isPulumisOwn) whenEngineGone(process.argv.slice(2), () => process.exit(1));
