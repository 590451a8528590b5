/** Puts a member's name before the message of what fails. */
export async function prefixErrors<T>(cluster: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) error.message = `${cluster}: ${error.message}`;
    throw error;
  }
}
