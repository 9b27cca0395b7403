// `GET /readyz`: may this process be sent calls? Yes while the database is there and up to date, and a bind is live anywhere
// in the fleet once one is configured. One operator's outage takes no process out; it is shown in the answer.

import type { Readiness } from '../api/http.ts';
import type { SmsChannel } from '../channels/sms/sms.ts';
import { schemaState } from '../db/migrate.ts';
import type { UntypedDb } from '../db/schema.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import { within } from '../time/within.ts';
import type { Housekeeper } from './housekeeper.ts';

export interface ReadinessParts {
  db: UntypedDb;
  sms: SmsChannel;
  slots: Slots;
  housekeeper: Pick<Housekeeper, 'horizonSeconds'>;
}

/** A probe wants an answer, not patience: a database that takes longer is as good as away. */
const patienceMs = 2_000;

export function readiness({ db, sms, slots, housekeeper }: ReadinessParts): () => Promise<Readiness> {
  return async () => {
    const operators = sms.operatorStates();
    const look = async (): Promise<Readiness> => {
      const schema = await schemaState(db);
      const bound = operators.some(({ binds_bound }) => binds_bound > 0) || (await slots.anyBound());
      const usable = schema.kind === 'current' || schema.kind === 'compatible';
      const ready = usable && (operators.length === 0 || bound);
      const partition_horizon_seconds = housekeeper.horizonSeconds();
      return { ready, details: { database: schema.kind, partition_horizon_seconds, operators } };
    };
    const unreachable = (): Readiness => ({ ready: false, details: { database: 'unreachable', operators } });
    return within(look(), patienceMs, 'the database does not answer').catch(unreachable);
  };
}
