// `ramz account stop …`: stops of accounts, which an honest campaign may need lifted at once.

import { isId } from '../../core/ids.ts';
import { isActive, stopIdPrefix } from '../../core/limits/stop.ts';
import type { StoredStop } from '../../db/limits/stops.ts';
import { flag, pageSize, Refusal, sayRows } from '../command.ts';
import { command } from '../program.ts';
import { type AccountTools, requireAccount } from './tools.ts';

export const stopCommands = [
  command({
    names: ['stop list'],
    usage: `
  stop list [<account id>] [--active]
      prefixes that are or were closed for an hour because what was sent there looks like SMS pumping, of all accounts or one`,
    takes: ['[<account id>]'],
    options: { active: flag },
    run: (tools: AccountTools, { words: [accountId = null], values: { active = false } }) =>
      listStops(tools, accountId, active),
  }),
  command({
    names: ['stop lift'],
    usage: `
  stop lift <stop id>
      ends a stop at once`,
    takes: ['<stop id>'],
    run: (tools: AccountTools, { words: [id = ''] }) => liftStop(tools, id),
  }),
];

/** @param accountId null = of all accounts. */
async function listStops(
  { db, stops, now, say }: AccountTools,
  accountId: string | null,
  activeOnly: boolean,
): Promise<void> {
  const count = await sayRows(
    (before) => stops.list({ accountId, activeOnly }, { limit: pageSize, before }),
    (stop) => say(describe(stop, now())),
  );
  if (count > 0) return;
  if (accountId !== null) await requireAccount({ db }, accountId);
  say('no stops');
}

async function liftStop({ stops, actor, now, say }: AccountTools, id: string): Promise<void> {
  const lifted = isId(stopIdPrefix, id) ? await stops.lift(id, { accountId: null, actor }) : null;
  if (!lifted || lifted.kind === 'stop_not_found')
    throw new Refusal(`no stop ${id}: an id begins with ${stopIdPrefix}`, 1);
  say(describe(lifted.stop, now()));
}

function describe(stop: StoredStop, now: number): string {
  const { id, accountId, prefix, rule, reason, sent, verified, enforced, startedAt, endsAt, liftedAt, liftedBy } = stop;
  const at = (time: number) => new Date(time).toISOString();
  const lifted = liftedAt === null ? null : `lifted ${at(liftedAt)} by ${liftedBy}`;
  const state = lifted ?? `${isActive(stop, now) ? 'holds until' : 'ended'} ${at(endsAt)}`;
  const based = `${sent} sent, ${verified} verified`;
  return [
    id,
    accountId,
    `${prefix}*`,
    rule,
    reason,
    based,
    enforced ? 'enforced' : 'monitored',
    at(startedAt),
    state,
  ].join('  ');
}
