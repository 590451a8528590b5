import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { protocol, type Answer, type Request } from "./description.ts";
import type { Supervisor } from "./supervisor.ts";

/**
 * Answers on the supervisor's socket: one line of JSON in, one line out, per connection. (Not HTTP: Node's server for it
 * costs 13 MB of memory, a quarter of all that a supervisor uses.)
 *
 * @param onEnd called once, when the last program was removed or a hand-over was asked for, and every answer is sent.
 */
export function serve(supervisor: Supervisor, onEnd: () => void): Server {
  let open = 0;
  let emptied = false;
  let ending = false;

  const answer = async (line: string): Promise<Partial<Answer>> => {
    const request = JSON.parse(line) as Request;
    if (ending) return { ending };
    switch (request.do) {
      case "list":
        break;
      case "ensure":
        await supervisor.ensure(request.description);
        break;
      case "restart":
        await supervisor.restart(request.name);
        break;
      case "remove":
        await supervisor.remove(request.name, request.stopSeconds);
        emptied = true;
        break;
      case "hand-over":
        ending = true;
        break;
    }
    return {};
  };

  const reply = async (socket: Socket, line: string): Promise<void> => {
    const part = await answer(line).catch((error: Error) => ({ error: error.message }));
    const whole: Answer = { protocol, pid: process.pid, processes: supervisor.statuses(), ...part };
    socket.end(`${JSON.stringify(whole)}\n`);
  };

  return createServer((socket) => {
    open++;
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      open--;
      ending ||= emptied && supervisor.isEmpty && open === 0;
      if (ending && open === 0) onEnd();
    });
    createInterface({ input: socket }).once("line", (line) => void reply(socket, line));
  });
}
