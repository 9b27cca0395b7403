// VerifyService put together from its handlers.

import type { ServiceImpl } from '@connectrpc/connect';
import { Lane } from '../../../db/batch.ts';
import { loadSessions, type SessionKey } from '../../../db/verify/load.ts';
import type { VerifyService } from '../../../gen/ramz/v1/verify_pb.ts';
import { cancelSession } from './cancel.ts';
import { check } from './check.ts';
import { getSession } from './get.ts';
import { listSessions } from './list.ts';
import { Once } from './once.ts';
import type { Handling, VerifyServiceOptions } from './options.ts';
import { send } from './send.ts';
import { watchSession } from './watch.ts';
import { WatchPlaces } from './watch-places.ts';

export type { VerifyServiceOptions } from './options.ts';
export { requestHasher } from './request-hash.ts';

export function verifyService(options: VerifyServiceOptions): ServiceImpl<typeof VerifyService> {
  const once = new Once({ store: options.engine.store, hasher: options.hasher });
  const { db, lists = db } = options;
  const reading = new Lane((keys: readonly SessionKey[]) => loadSessions(db, keys), { name: 'read' });
  const handling: Handling = {
    ...options,
    once,
    lists,
    places: new WatchPlaces(),
    read: (key: SessionKey) => reading.push(key),
  };
  return {
    send: send(handling),
    check: check(handling),
    getSession: getSession(handling),
    listSessions: listSessions(handling),
    cancelSession: cancelSession(handling),
    watchSession: watchSession(handling),
  };
}
