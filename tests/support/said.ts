import { jest } from "@jest/globals";

/** What is said on the console's log meanwhile, and not shown. */
export async function said(run: () => Promise<unknown>): Promise<string[]> {
  const log = jest.spyOn(console, "log").mockImplementation(() => undefined);
  try {
    await run();
    return log.mock.calls.flat() as string[];
  } finally {
    log.mockRestore();
  }
}
