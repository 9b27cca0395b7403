// The page of an embedded signup with the settings in force.

import type { Mount } from '../api/http.ts';
import { signupMount } from '../api/signup/mount.ts';
import type { Config } from '../config.ts';
import type { WabaManager } from '../engine/waba/manage.ts';
import type { Logger } from '../telemetry/log.ts';
import type { CallLimiter } from './call-limiter.ts';

export function signupPages(waba: WabaManager, config: () => Config, limiter: CallLimiter, logger: Logger): Mount {
  return signupMount({
    ...{ waba, logger },
    allow: (peer) => limiter.take({ principal: { kind: 'none' }, peer }),
    brand: () => config().service.brand,
    setup: () => {
      const { messaging } = config();
      if (!messaging?.signup || !waba.offersSignup) return null;
      return { ...messaging.signup, version: messaging.graphVersion };
    },
  });
}
