// VerifyService put together from its handlers.

import type { ServiceImpl } from '@connectrpc/connect';
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
export { rulesOf, type SendSettings } from './settings.ts';

export function verifyService(options: VerifyServiceOptions): ServiceImpl<typeof VerifyService> {
  const once = new Once({ store: options.engine.store, hasher: options.hasher });
  const handling: Handling = { ...options, once, places: new WatchPlaces() };
  return {
    send: send(handling),
    check: check(handling),
    getSession: getSession(handling),
    listSessions: listSessions(handling),
    cancelSession: cancelSession(handling),
    watchSession: watchSession(handling),
  };
}
