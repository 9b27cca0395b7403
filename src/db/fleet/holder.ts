// Format of the `holder` column: `process/<id>` for the process that acts on a row, `route/<route>` for a row that waits for a process
// with that route. Values and SQL fragments are made here alone, because rows of dead processes are found by comparing the two.

const processPrefix = 'process/';
const routePrefix = 'route/';

export const processHolder = (processId: string): string => processPrefix + processId;
export const routeHolder = (route: string): string => routePrefix + route;

/** Holder of a message that is to go out: `self`, this process, where it has the route; else the route. */
export const holderForRoute = (route: string, self: string, canSend: (route: string) => boolean): string =>
  canSend(route) ? self : routeHolder(route);

/** A range over the column's index: '0' is the character after '/'. */
const startsWith = (column: string, prefix: string): string =>
  `${column} >= '${prefix}' and ${column} < '${prefix.slice(0, -1)}0'`;

/** SQL: holder of the process whose id is in column `id`. */
export const holderOfProcess = (id: string): string => `'${processPrefix}' || ${id}`;
/** SQL: whether a process holds the row. */
export const heldByProcess = (column: string): string => startsWith(column, processPrefix);
/** SQL: whether the row waits for a route. */
export const waitsForRoute = (column: string): string => startsWith(column, routePrefix);
/** SQL: the route that a row waits for. */
export const routeOfHolder = (column: string): string => `substr(${column}, ${routePrefix.length + 1})`;
