// The first schema, in one part a capability: beginning/. It changes until the first release and is then never edited.

import type { Kysely } from 'kysely';
import { accounts } from './beginning/accounts.ts';
import { fleet } from './beginning/fleet.ts';
import { limits } from './beginning/limits.ts';
import { partitions } from './beginning/partitions.ts';
import { receipts } from './beginning/receipts.ts';
import { reports } from './beginning/reports.ts';
import { rollups } from './beginning/rollups.ts';
import { sessions } from './beginning/sessions.ts';
import { waba } from './beginning/waba.ts';
import { webhooks } from './beginning/webhooks.ts';

/** In the order in which they refer to each other. */
const parts = [accounts, fleet, limits, reports, sessions, receipts, rollups, waba, webhooks, partitions];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of parts.flat()) await statement.execute(db);
}
