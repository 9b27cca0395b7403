// The store in memory: every verb of the engine's store, over the tables.
import { budgetVerbs } from './budgets.ts';
import { limitVerbs } from './limits.ts';
import { fleetVerbs, receiptVerbs, routeVerbs } from './others.ts';
import { sessionVerbs } from './sessions.ts';
import type { Tables, Verbs } from './tables.ts';

export const memoryStore = (tables: Tables): Verbs => ({
  ...sessionVerbs(tables),
  ...limitVerbs(tables),
  ...budgetVerbs(tables),
  ...receiptVerbs(tables),
  ...fleetVerbs(tables),
  ...routeVerbs(tables),
});
