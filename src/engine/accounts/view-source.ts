// Accounts as the engine needs them, read from the database.

import type { Language } from '../../core/verify/session.ts';
import { findAccountWithSenders } from '../../db/accounts/accounts.ts';
import { readChanges } from '../../db/changes.ts';
import type { Db } from '../../db/schema.ts';
import type { AccountSource } from './views.ts';

export function createAccountSource(db: Db): AccountSource {
  return {
    async load(accountId, mode) {
      const row = await findAccountWithSenders(db, accountId, mode);
      if (!row) throw new Error(`no account ${accountId}`);
      return {
        id: row.id,
        language: row.language as Language,
        cascade: row.cascade,
        autofill: new Map(row.autofill.map(([value, , approved]) => [value, approved ? 'approved' : 'pending'])),
        defaultSenderId: row.default_sender_id,
        inCountryOnly: row.in_country_only,
        approvedSenders: byOperator(row.approved),
        smsFirstSendAt: row.sms_first_send_at?.getTime() ?? null,
        appFirstSendAt: row.app_first_send_at?.getTime() ?? null,
        wabaConnectedAt: row.custom_waba_connected_at?.getTime() ?? null,
        sendsPerSecond: row.limits.sends_per_second ?? null,
        sendsPerNumberPerHour: row.limits.sends_per_number_per_hour ?? null,
        sendsPerNumberPerDay: row.limits.sends_per_number_per_day ?? null,
        unlimitedNumbers: row.limits.unlimited_numbers ?? false,
        suspended: row.suspended_at !== null,
      };
    },
    changes: () => readChanges(db),
  };
}

function byOperator(approved: readonly [operator: string, name: string][]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const [operator, name] of approved) names.set(operator, (names.get(operator) ?? new Set()).add(name));
  return names;
}
