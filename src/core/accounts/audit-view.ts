// The view that an account has of a row of the audit log about itself.

import { cliId } from './actor.ts';

interface Row {
  actor_kind: string;
  actor_id: string;
  actor_name: string;
  address: string;
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
}

/** Reasons that those who run the service give each other: they may say what the account must not know yet. */
const reasons = ['suspended_reason', 'closed_reason'];

/**
 * An account learns which administrator changed something, but neither from where nor who has a login on the deployment's machines, nor why it was
 * suspended or closed.
 */
export function asAccountSees<Seen extends Row>(row: Seen): Seen {
  const seen = { ...row, before: withoutReasons(row.before), after: withoutReasons(row.after) };
  if (row.actor_kind !== 'administrator') return seen;
  return { ...seen, address: '', actor_name: row.actor_id === cliId ? '' : row.actor_name };
}

const withoutReasons = (fields: Row['before']) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !reasons.includes(name)));
