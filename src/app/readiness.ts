// The answer of `/readyz`, at either port: whether this process may be sent calls, and what says so.

import type { Readiness } from '../api/http.ts';
import type { SmsChannel } from '../channels/sms/sms.ts';
import { schemaState } from '../db/migrate.ts';
import type { Slots } from '../engine/fleet/slots.ts';
import { within } from '../time/alarm.ts';
import { sharedAnswer } from '../time/shared-answer.ts';
import type { Cell } from './cells.ts';
import type { Housekeeper } from './housekeeper.ts';
import type { VoiceCalls } from './voice.ts';

type Watched = Pick<Cell, 'name' | 'state' | 'watch'>;

export interface ReadinessParts {
  /** Home first. */
  cells: readonly Watched[];
  sms: Pick<SmsChannel, 'operatorStates' | 'bindCounts'>;
  voice: Pick<VoiceCalls, 'states'>;
  slots: Pick<Slots, 'anyBound'>;
  housekeeper: Pick<Housekeeper, 'horizonSeconds'>;
}

/** A probe needs an answer soon, so a database that takes longer counts as unreachable. */
const patienceMs = 2_000;

/** For another cell than home: an answer at the metrics port waits for both. */
const besideMs = 1_000;

const silent = 'the database does not answer';

/**
 * Of `/readyz`: whether this process may be sent calls. Yes while the database is there and up to date, and, where a bind is configured,
 * from the moment on at which one was live anywhere in the fleet. An outage of operators takes no process out, not even one of all of them:
 * every process would be out at once, and none would check the codes that were sent or send others on other channels. So it is with the
 * first bind that a reload adds, while it is not live yet, and with an outage of a cell other than home. Outages are shown at the metrics
 * port, those of trunks, too. The other cells are asked only there: a balancer gives up a probe that waits for a silent one, and every
 * process would be out at once.
 *
 * An answer takes statements on the few connections that authentication and the leases need, too: those who ask at the same time share one.
 */
export function readiness({ cells, sms, voice, slots, housekeeper }: ReadinessParts): () => Promise<Readiness> {
  /** As far as operators go: from then on only the database decides. */
  let wasReady = false;
  const areReady = async (operators: readonly { binds_bound: number }[]): Promise<boolean> => {
    wasReady ||=
      [...sms.bindCounts().values()].every((count) => count === 0) ||
      operators.some(({ binds_bound }) => binds_bound > 0) ||
      (await slots.anyBound());
    return wasReady;
  };
  const [home, ...others] = cells;
  const stateOf = ({ name, state, watch }: Watched) =>
    within(schemaState(watch.plain), besideMs, silent).then(
      ({ kind }) => [name, kind],
      () => [name, state === 'refused' ? state : 'unreachable'],
    );
  const beside = sharedAnswer(async () => Object.fromEntries(await Promise.all(others.map(stateOf))), { keepMs: 0 });
  const judge = async (): Promise<Readiness> => {
    const operators = sms.operatorStates();
    const trunks = voice.states();
    const look = async (): Promise<Readiness> => {
      const schema = await schemaState((home as Watched).watch.plain);
      const usable = schema.kind === 'current' || schema.kind === 'compatible';
      const ready = usable && (await areReady(operators));
      const partition_horizon_seconds = housekeeper.horizonSeconds();
      return { ready, details: { database: schema.kind, partition_horizon_seconds, operators, trunks } };
    };
    const unreachable = (): Readiness => ({ ready: false, details: { database: 'unreachable', operators, trunks } });
    const found = await within(look(), patienceMs, silent).catch(unreachable);
    return others.length === 0 ? found : { ...found, cells: beside };
  };
  return sharedAnswer(judge, { keepMs: 0 });
}
