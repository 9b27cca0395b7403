// The guard of sends: it gathers what the rules against abuse look at, and returns their verdict. The rules themselves are pure (core/limits);
// a rule that counts has buckets, of which a token is taken together with the account's own (rate-limits.ts).

import { allowedPrefixes } from '../../core/limits/allowed-prefixes.ts';
import { clientHash } from '../../core/limits/client.ts';
import { clientCounts, clientLimited } from '../../core/limits/client-limits.ts';
import { dayLimits, keyElsewhere, keyLimited, keyPrefixes, unrestricted } from '../../core/limits/key-restrictions.ts';
import { blocked, isListed, type NumberList, type NumberLists, numberHash } from '../../core/limits/lists.ts';
import { stopFindings } from '../../core/limits/stop.ts';
import { type Finding, modesOf, type RuleModes, type Verdict, verdictOf } from '../../core/limits/verdict.ts';
import type { SettledSend } from '../../core/verify/request.ts';
import type { Bucket } from '../../db/limits/buckets.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { ExtraBucket } from './rate-limits.ts';

/** What of a send the rules look at. */
export type GuardedSend = Pick<
  SettledSend,
  'accountId' | 'apiKeyId' | 'mode' | 'to' | 'client' | 'restrictions' | 'elsewhere'
>;

/** A bucket that counts the send, and what is found where it is empty. */
export interface Count {
  bucket: ExtraBucket;
  finding: Finding;
}

interface Counted {
  bucket: Bucket;
  finding: Finding;
}

export class Guard {
  readonly #context: Pick<EngineContext, 'settings' | 'ring' | 'now'>;

  constructor(context: Pick<EngineContext, 'settings' | 'ring' | 'now'>) {
    this.#context = context;
  }

  /** By what is in memory: nothing is counted, and no statement is made. */
  judge(send: GuardedSend, account: AccountView, platform: NumberLists): Verdict {
    return verdictOf(this.findings(send, account, platform), this.modes(account));
  }

  /** What every rule objects to, whatever its mode. */
  findings(send: GuardedSend, account: AccountView, platform: NumberLists): Finding[] {
    const { to, mode, restrictions = unrestricted, elsewhere = false } = send;
    // A test key sends nothing and pays nothing: with it the platform's list could be searched.
    const isBlocked =
      this.#isListed(to, account.lists.block) || (mode === 'live' && this.#isListed(to, platform.block));
    const each = [
      elsewhere ? keyElsewhere : null,
      keyPrefixes(to, restrictions.prefixes),
      allowedPrefixes(to, account.allowedPrefixes),
      isBlocked ? blocked : null,
      ...this.#stopped(to, account, platform),
    ];
    return each.filter((finding) => finding !== null);
  }

  /** What the send is counted in. An empty bucket of a rule that is only watched refuses nothing. */
  counts(send: GuardedSend, account: AccountView, platform: NumberLists): Count[] {
    const modes = this.modes(account);
    return [...keyCounts(send), ...this.#clientCounts(send, account, platform)].flatMap(({ bucket, finding }) => {
      const mode = modes[finding.rule];
      return mode === 'off' ? [] : [{ bucket: { ...bucket, optional: mode === 'monitor' }, finding }];
    });
  }

  /** Whether rules that guess leave the number alone. */
  isAllowed(to: string, { lists }: AccountView, platform: NumberLists): boolean {
    return this.#isListed(to, lists.allow) || this.#isListed(to, platform.allow);
  }

  #isListed(to: string, list: NumberList): boolean {
    const { ring } = this.#context;
    return isListed(list, to, (keyId) => {
      const key = ring.byId(keyId);
      return key ? numberHash(key.key, to).toString('hex') : null;
    });
  }

  modes({ ruleModes }: AccountView): RuleModes {
    return modesOf(this.#context.settings.ruleModes, ruleModes);
  }

  /** Most accounts have no stop, and then the lists are not looked at. */
  #stopped(to: string, account: AccountView, platform: NumberLists): Finding[] {
    if (account.stops.length === 0 || this.isAllowed(to, account, platform)) return [];
    return stopFindings(to, account.stops, this.#context.now());
  }

  /** A test key sends nothing. */
  #clientCounts({ accountId, mode, client, to }: GuardedSend, account: AccountView, platform: NumberLists): Counted[] {
    if (mode === 'test' || !client || this.isAllowed(to, account, platform)) return [];
    const { settings, ring } = this.#context;
    return clientCounts(client, settings.clientLimits, account.clientLimits).map((count) => {
      const { signal, value, periodMs, most } = count;
      const key = `client:${signal}:${periodMs}:${clientHash(ring, accountId, signal, value)}`;
      return {
        bucket: { key, capacity: most, refillPerSecond: (most / periodMs) * 1000 },
        finding: clientLimited(count),
      };
    });
  }
}

const daySeconds = 86_400;

/** A test key's sends count, too: its restrictions hold as they would for a live one. */
function keyCounts({ apiKeyId, restrictions }: GuardedSend): Counted[] {
  if (!restrictions || apiKeyId == null) return [];
  return dayLimits(apiKeyId, restrictions).map(({ keyId, sendsPerDay }) => ({
    bucket: { key: `key:${keyId}`, capacity: sendsPerDay, refillPerSecond: sendsPerDay / daySeconds },
    finding: keyLimited,
  }));
}
