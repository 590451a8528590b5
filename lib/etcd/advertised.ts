/** The URL a member advertises to clients, from its arguments. */
export function advertisedIn(args: readonly string[]): string | undefined {
  const flag = args.find((each) => each.startsWith(advertising));
  return flag?.slice(advertising.length).split(",")[0];
}

export const advertising = "--advertise-client-urls=";
