const mark = "left there: ";

/**
 * The line of a warning that says what was to be removed and was left, since nothing answered.
 *
 * @param what for instance `what this deployment has`
 */
export const leftBehind = (what: string): string => mark + what;

/** Whether a text has such a line. `npm run destroy` asks it of what providers said. */
export const tellsOfLeftBehind = (text: string): boolean => text.includes(mark);
