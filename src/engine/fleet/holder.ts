// What `holder` says of a row: the process that acts on it, or the route whose holders may take it. Rows of processes that
// are dead are found by it (sweeps.ts, db/webhooks/attempts.ts).

export const processHolder = (processId: string): string => `process/${processId}`;
export const routeHolder = (route: string): string => `route/${route}`;

/** Of a message that is to go out: this process where it has the route, else whoever has. */
export const senderOf = (route: string, self: string, canSend: (route: string) => boolean): string =>
  canSend(route) ? self : routeHolder(route);
