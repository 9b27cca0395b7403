// The actor of what the command line does: the user of the machine, who needs no token, because the database is open to them.

import { hostname, userInfo } from 'node:os';
import { type Actor, cliId } from '../core/accounts/actor.ts';

/** The audit log says `cli`, so that the name is not taken for that of an administrator with a token. */
export const cliActor = (): Actor => ({
  kind: 'administrator',
  id: cliId,
  name: userName(),
  address: hostname(),
  requestId: '',
});

/** A container may run as a user whom it has no name for. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
