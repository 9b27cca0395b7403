// A session by the id a client gave. Nothing tells an unknown id from one of another account or mode.

import { isId } from '../../../core/ids.ts';
import type { Session } from '../../../core/verify/session.ts';
import type { KeyPrincipal } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import type { Handling } from './options.ts';

export const notFound = () => fail('session_not_found', 'no such session');

export const isSessionId = (id: string): boolean => isId('vrf_', id);

/** As it is stored now, whichever process saved it last. Throws `session_not_found`. */
export async function findSession(
  { read }: Pick<Handling, 'read'>,
  { accountId, mode }: KeyPrincipal,
  id: string,
): Promise<Session> {
  if (!isSessionId(id)) throw notFound(); // what can't be an id need not be asked for
  const loaded = await read({ accountId, id });
  if (loaded?.session.mode !== mode) throw notFound();
  return loaded.session;
}
