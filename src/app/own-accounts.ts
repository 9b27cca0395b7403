// The room of businesses' own messaging-app accounts put together: the numbers in use, the linking of new ones, their log lines.

import { platformAccount } from '../channels/whatsapp/account.ts';
import { GraphClient } from '../channels/whatsapp/graph.ts';
import { linking } from '../channels/whatsapp/linking.ts';
import type { AccountChange } from '../channels/whatsapp/whatsapp.ts';
import type { WabaPlatform } from '../core/waba/platform.ts';
import type { WabaRow } from '../db/schema.ts';
import { Waba } from '../engine/waba/waba.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Base } from './base.ts';

/** What the footer of a template says, minutes: 1 to 90. */
const mostMinutes = 90;

/** `onNumbers` is called with the numbers whose token may be another one now. */
export function ownAccounts(base: Base, onNumbers: (phoneNumberIds: readonly string[]) => void) {
  const { live, database, ring, ids, now, logger } = base;
  const { db } = database;
  const client = new GraphClient({ connections: 8 });
  const platform = (): WabaPlatform | null => {
    const { messaging, verify } = live.config;
    if (!messaging) return null;
    const { graphUrl, template } = platformAccount(messaging);
    const app = messaging.signup && { id: messaging.signup.appId, secret: messaging.appSecret };
    const expiryMinutes = Math.min(mostMinutes, Math.ceil(verify.ttlSeconds.default / 60));
    return linking({ client, graphUrl, app, template, expiryMinutes });
  };
  if (live.config.messaging && !ring.has('waba_secret')) {
    logger.warn(
      { setting: 'RAMZ_KEY_RING' },
      'the key ring has no waba_secret key: no messaging-app account can be linked',
    );
  }
  const waba = new Waba({
    db,
    ring,
    ids,
    now,
    log: logger,
    settings: {
      get platform() {
        return platform();
      },
      get hasSignup() {
        return Boolean(live.config.messaging?.signup);
      },
      get platformNumber() {
        return live.config.messaging?.phoneNumberId ?? null;
      },
    },
    observer: { linkChanged: (row) => logLink(logger, row), numbersChanged: onNumbers },
  });
  return {
    waba,
    async takeChange(change: AccountChange): Promise<void> {
      if (change.kind === 'uninstalled') await waba.uninstalled(change.wabaId, change.reportedAt);
      else await waba.templatesChanged(change.wabaId);
    },
    /** Breaks off calls of the platform: the process that takes the step up repeats them. */
    async close(): Promise<void> {
      await client.close();
      await waba.close();
    },
  };
}

export type OwnAccounts = ReturnType<typeof ownAccounts>;

function logLink(logger: Logger, row: WabaRow): void {
  const { account_id, waba_id, phone_number_id, status, step, reason, error_code } = row;
  const about = { account_id, waba_id, phone_number_id, status, step, reason, error_code };
  if (status === 'broken') logger.warn(about, "a business's own messaging-app account is not linked");
  else if (reason) logger.info(about, "a step of linking a business's own messaging-app account is tried again");
  else if (status === 'connected') logger.info(about, "a business's own messaging-app account is linked");
  else logger.debug(about, "a step of linking a business's own messaging-app account");
}
