// `ramz operators` and `ramz doctor operators`: how operators stand, orders about them, and what is wrong with their receipts. Straight on the
// database: running processes follow an order within a second.

import { diagnose } from '../channels/sms/diagnosis.ts';
import type { Config } from '../config.ts';
import type { Actor } from '../core/accounts/actor.ts';
import { withSchema } from '../db/schema.ts';
import { type OperatorListed, Operators, type Ordered, type ParkedShown } from '../engine/operators/operators.ts';
import { cliActor } from './actor.ts';
import { exitCodeOf, Refusal, readWords } from './command.ts';
import { withDatabase } from './database.ts';

const usage = `usage: npm run ramz -- operators <words>

  list [--json]
      every operator: its binds over all processes, whether it is paused, what is parked
  pause <operator> [--reason …]
      nothing more is sent to it within a second, and its legs are skipped; binds stay up, and receipts are taken
  resume <operator>
  rebind <operator> [<slot>]
      makes its binds again, or one of them; one that waits for its next try is tried at once
  parked [--operator …] [--limit 20] [--json]
      receipts that match no message, and reports that can't be read, newest first
  doctor [<operator>]
      the same as \`ramz doctor operators\`: what is not understood, and the line of the configuration to change`;

export interface OperatorsOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Resolves with the exit code: 0 done, 1 refused or something found by the doctor, 2 not understood. */
export async function operators(args: readonly string[], { env, say }: OperatorsOptions): Promise<number> {
  return exitCodeOf({ args, usage, say }, async () => {
    let exitCode = 0;
    const words = read(args);
    await withDatabase(env, 'ramz operators', async ({ config, database, cells }) => {
      const over = { db: withSchema(database.db), cells: cells.map(({ db }) => withSchema(db)) };
      const room = new Operators({ ...over, settings: { config }, log: { info: () => {} } });
      exitCode = await run(words, room, { config, say, actor: cliActor() });
    });
    return exitCode;
  });
}

type Words = ReturnType<typeof read>;

/** The fewest and the most words of each verb. */
const counts: Readonly<Record<string, readonly [number, number]>> = {
  list: [1, 1],
  pause: [2, 2],
  resume: [2, 2],
  rebind: [2, 3],
  parked: [1, 1],
  doctor: [1, 2],
};

/** @throws Refusal */
function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { json: { type: 'boolean' }, reason: text, operator: text, limit: text } as const;
  const { values, words } = readWords({ args, usage }, options, 1, 3);
  const [verb = '', id = '', slot] = words;
  const limit = Number(values.limit ?? 20);
  const [least, most] = counts[verb] ?? [1, 0];
  const isSlot = slot === undefined || /^\d{1,4}$/.test(slot);
  const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= 10_000;
  if (words.length < least || words.length > most || !isSlot || !isLimit) throw new Refusal(usage, 2);
  return { verb, id, slot: slot === undefined ? null : Number(slot), ...values, limit };
}

interface Parts {
  config: Config;
  actor: Actor;
  say(line: string): void;
}

async function run(words: Words, room: Operators, parts: Parts): Promise<number> {
  const { verb, id, slot, json = false } = words;
  const { say, actor } = parts;
  switch (verb) {
    case 'list': {
      const listed = await room.list();
      say(json ? toJson(listed.map(jsonOf)) : listed.flatMap(linesOf).join('\n') || 'no operator is configured');
      return 0;
    }
    case 'pause':
      return ordered(id, await room.pause(id, words.reason ?? '', actor), say);
    case 'resume':
      return ordered(id, await room.resume(id, actor), say);
    case 'rebind':
      return ordered(id, await room.rebind(id, slot, actor), say);
    case 'parked': {
      const rows = await room.parked({ operator: words.operator ?? null, before: null, limit: words.limit });
      say(json ? toJson(rows.map(parkedJson)) : rows.map(parkedLine).join('\n') || 'nothing is parked');
      return 0;
    }
    default:
      return doctor(id, room, parts);
  }
}

function ordered(id: string, outcome: Ordered, say: (line: string) => void): number {
  if (outcome.kind === 'operator_not_found') throw new Refusal(`no operator ${id} is configured`, 1);
  for (const line of linesOf(outcome.operator)) say(line);
  return 0;
}

function linesOf({ id, name, pause, binds, parked }: OperatorListed): string[] {
  const up = binds.filter(({ bound }) => bound).length;
  const lines = [`${id}  ${name}`, `    binds: ${up} of ${binds.length} up`];
  for (const { slot, bound, process } of binds)
    lines.push(`      ${slot}  ${bound ? 'up  ' : 'down'}  ${process || 'held by no process'}`);
  if (pause) lines.push(`    paused since ${pause.since.toISOString()}${pause.reason ? `: ${pause.reason}` : ''}`);
  const { unmatched, unreadable } = parked;
  if (unmatched + unreadable > 0)
    lines.push(`    parked: ${unmatched} that match no message, ${unreadable} that can't be read`);
  return lines;
}

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

const jsonOf = ({ id, name, prefixes, pause, binds, parked }: OperatorListed) => ({
  id,
  name,
  prefixes,
  paused_at: pause?.since ?? null,
  pause_reason: pause?.reason ?? '',
  binds,
  parked_unmatched: parked.unmatched,
  parked_unreadable: parked.unreadable,
});

const parkedJson = ({ id, operator, reason, providerMessageId, to, status, receivedAt, raw }: ParkedShown) => ({
  id,
  operator,
  reason,
  provider_message_id: providerMessageId ?? '',
  to,
  status: status ?? '',
  received_at: receivedAt,
  raw,
});

const parkedLine = ({ operator, reason, providerMessageId, to, status, receivedAt, raw }: ParkedShown): string => {
  const id = `id ${providerMessageId ?? 'none'}`;
  const parts = [receivedAt.toISOString(), operator, reason, status ?? '', id, to, JSON.stringify(raw)];
  return parts.filter((part) => part !== '').join('  ');
};

/** Exit code 1 where there is a line to change. */
async function doctor(id: string, room: Operators, { config, say }: Parts): Promise<number> {
  const chosen = config.operators.filter((operator) => id === '' || operator.id === id);
  if (id !== '' && chosen.length === 0) throw new Refusal(`no operator ${id} is configured`, 1);
  const listed = await room.list();
  let found = 0;
  for (const operator of chosen) {
    for (const line of listed.filter((each) => each.id === operator.id).flatMap(linesOf)) say(line);
    const findings = diagnose(operator, await room.evidence(operator.id));
    for (const { what, advice } of findings) say(`    ${what}: ${advice}`);
    if (findings.length === 0) say('    all receipts were understood');
    found += findings.length;
  }
  return found === 0 ? 0 : 1;
}
