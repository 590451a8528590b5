/** A program that asks what its standard input lists and writes the answers, wherever it is run. */
import { json } from "node:stream/consumers";
import { ask, type Tls } from "./ask.ts";

/** One of the list. */
export interface Question {
  readonly url: string;
  readonly tls?: Tls;
}

const questions = (await json(process.stdin)) as Question[];
const answers = await Promise.all(
  questions.map(({ url, tls }) =>
    ask(url, tls).catch((error: Error) => ({ status: 0, type: "", text: error.message })),
  ),
);
process.stdout.write(JSON.stringify(answers));
