// Settings that parts of the engine hold, and that follow a reload: the same objects, written anew.

import { rulesOf } from '../api/handlers/verify/service.ts';
import type { Config } from '../config.ts';

const hourMs = 3_600_000;
/** Accounts that may each send to a number as often as one may, where the configuration does not say. */
const platformAccounts = 3;
const platformLimit = (given: number | null, perAccount: number) => given ?? platformAccounts * perAccount;

const valuesOf = ({ verify, limits }: Config) => ({
  rules: rulesOf(verify),
  failureLimit: {
    failures: limits.failuresPerNumberPerHour,
    windowMs: hourMs,
    failuresInRow: limits.failuresPerNumberInRow,
  },
  sendLimits: {
    perNumberPerHour: limits.sendsPerNumberPerHour,
    perNumberPerDay: limits.sendsPerNumberPerDay,
    platformPerNumberPerHour: platformLimit(limits.platformSendsPerNumberPerHour, limits.sendsPerNumberPerHour),
    platformPerNumberPerDay: platformLimit(limits.platformSendsPerNumberPerDay, limits.sendsPerNumberPerDay),
    accountPerSecond: limits.accountSendsPerSecond,
    accountBurst: limits.accountSendsBurst,
  },
});

export function followedSettings(config: Config) {
  const { rules, failureLimit, sendLimits } = valuesOf(config);
  return {
    rules,
    failureLimit,
    sendLimits,
    /** Holds from the next call on. */
    follow(next: Config): void {
      const values = valuesOf(next);
      Object.assign(rules, values.rules);
      Object.assign(failureLimit, values.failureLimit);
      Object.assign(sendLimits, values.sendLimits);
    },
  };
}
