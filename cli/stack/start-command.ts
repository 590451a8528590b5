/** What brings a stack up, as it is typed: without a name it is `dev` that comes up. */
export const startCommand = (stack: string): string =>
  stack === "dev" ? "npm start" : `npm start -- --stack ${stack}`;
