/**
 * Runs one method of a provider in a process of its own, so that it can be killed: `node call.ts <provider> <method>`, the
 * arguments as a JSON list on standard input.
 */
import { text } from "node:stream/consumers";

const [name, method] = process.argv.slice(2);
const { provider } = await import(`../../../providers/${name}-impl.ts`);
await provider[method ?? ""](...JSON.parse(await text(process.stdin)));
