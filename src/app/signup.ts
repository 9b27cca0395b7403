// The page of an embedded signup with the settings in force.

import type { ClientAddresses } from '../api/clients/address.ts';
import { clientOf, type Mount } from '../api/http.ts';
import { signupMount } from '../api/signup/mount.ts';
import type { Waba } from '../engine/waba/waba.ts';
import type { Logger } from '../telemetry/log.ts';
import type { CallLimiter } from './call-limiter.ts';
import type { LiveSettings } from './live-settings.ts';

export interface SignupParts {
  waba: Waba;
  live: Pick<LiveSettings, 'config'>;
  addresses: ClientAddresses;
  limiter: CallLimiter;
  logger: Logger;
}

export function signupPages({ waba, live, addresses, limiter, logger }: SignupParts): Mount {
  return signupMount({
    waba,
    logger,
    clientOf: (request) => clientOf(request, addresses),
    allow: (peer) => limiter.take({ principal: { kind: 'none' }, peer }),
    brand: () => live.config.service.brand,
    setup: () => {
      const { messaging } = live.config;
      if (!messaging?.signup || !waba.offersSignup) return null;
      return { ...messaging.signup, version: messaging.graphVersion };
    },
  });
}
