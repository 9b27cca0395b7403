// `ramz operators` and `ramz doctor operators`: how operators stand, orders about them, and what is wrong with their receipts. Straight on the
// database: running processes follow an order within a second.

import { diagnose } from '../channels/sms/diagnosis.ts';
import { withoutPattern } from '../channels/sms/report.ts';
import type { Config } from '../config.ts';
import type { Actor } from '../core/accounts/actor.ts';
import { onOneLine } from '../core/one-line.ts';
import { withSchema } from '../db/schema.ts';
import { type OperatorListed, Operators, type Ordered, type ParkedShown } from '../engine/operators/operators.ts';
import { cliActor } from './actor.ts';
import { flag, Refusal, readText, text, type VerbOptions } from './command.ts';
import { notConfigured, requireOthers, withDatabase } from './database.ts';
import { command, type Program, runProgram } from './program.ts';

interface Tools {
  room: Operators;
  config: Config;
  actor: Actor;
  /** Before messages and receipts are read, which are in all cells. @throws Refusal */
  requireOthers(): Promise<unknown>;
  say(line: string): void;
}

const mostParked = 10_000;

const program: Program<Tools> = {
  call: 'npm run ramz -- operators',
  commands: [
    command({
      names: ['list'],
      usage: `
  list [--json]
      every operator: its binds over all processes, whether it is paused, what is parked`,
      options: { json: flag },
      run: (tools: Tools, { values: { json = false } }) => list(tools, json),
    }),
    command({
      names: ['pause'],
      usage: `
  pause <operator> [--reason …]
      nothing more is sent to it within a second, and its legs are skipped; binds stay up, and receipts are taken`,
      takes: ['<operator>'],
      options: { reason: text },
      run: async (tools: Tools, { words: [id = ''], values: { reason = '' } }) =>
        ordered(id, await tools.room.pause(id, readText('--reason', reason, 'reason'), tools.actor), tools),
    }),
    command({
      names: ['resume'],
      usage: `
  resume <operator>`,
      takes: ['<operator>'],
      run: async (tools: Tools, { words: [id = ''] }) => ordered(id, await tools.room.resume(id, tools.actor), tools),
    }),
    command({
      names: ['rebind'],
      usage: `
  rebind <operator> [<slot>]
      makes its binds again, or one of them; one that waits for its next try is tried at once`,
      takes: ['<operator>', '[<slot>]'],
      run: async (tools: Tools, { words: [id = '', slot] }) =>
        ordered(id, await tools.room.rebind(id, slotOf(slot), tools.actor), tools),
    }),
    command({
      names: ['parked'],
      usage: `
  parked [--operator …] [--limit 20] [--json]
      receipts that match no message, and reports that can't be read, newest first`,
      options: { operator: text, limit: text, json: flag },
      run: (tools: Tools, { values: { operator = null, limit = '20', json = false } }) =>
        parked(tools, { operator, limit: limitOf(limit) }, json),
    }),
    command({
      names: ['match'],
      usage: `
  match <operator>
      after message_id was corrected: receipts that were parked before are compared with messages again, and taken in within a minute`,
      takes: ['<operator>'],
      run: (tools: Tools, { words: [id = ''] }) => match(tools, id),
    }),
    command({
      names: ['doctor'],
      usage: `
  doctor [<operator>]
      the same as \`ramz doctor operators\`: what is not understood, and the line of the configuration to change`,
      takes: ['[<operator>]'],
      run: (tools: Tools, { words: [id = null] }) => doctor(tools, id),
    }),
  ],
};

/** Resolves with the exit code: 0 done, 1 refused or something found by the doctor, 2 not understood. */
export const operators = (args: readonly string[], options: VerbOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) =>
    withDatabase(options, 'ramz operators', async ({ config, database, cells, named }) => {
      const over = { db: withSchema(database.db), cells: cells.map(({ db }) => withSchema(db)) };
      const room = new Operators({ ...over, settings: { config }, log: { info: () => {} } });
      const others = () => requireOthers(named);
      return run({ room, config, say: options.say, actor: cliActor(), requireOthers: others });
    }),
  );

/** Null = all. @throws Refusal */
function slotOf(word: string | undefined): number | null {
  if (word === undefined) return null;
  if (!/^\d{1,4}$/.test(word)) throw new Refusal('<slot> must be a number, as `list` has it', 2);
  return Number(word);
}

/** @throws Refusal */
function limitOf(word: string): number {
  const limit = Number(word);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostParked) return limit;
  throw new Refusal(`--limit must be a whole number, 1 to ${mostParked}`, 2);
}

async function list({ room, say }: Tools, json: boolean): Promise<void> {
  const listed = await room.list();
  say(json ? toJson(listed.map(jsonOf)) : listed.flatMap(linesOf).join('\n') || notConfigured('no operator'));
}

function ordered(id: string, outcome: Ordered, { config, say }: Pick<Tools, 'config' | 'say'>): void {
  if (outcome.kind === 'operator_not_found') throw noSuch(id, config);
  if (outcome.kind === 'slot_not_found')
    throw new Refusal(`${id} has no such bind: <slot> is one of ${outcome.slots.join(', ')}`, 1);
  for (const line of linesOf(outcome.operator)) say(line);
}

function linesOf({ id, name, pause, binds, parked }: OperatorListed): string[] {
  const up = binds.filter(({ bound }) => bound).length;
  const lines = [`${id}  ${name}`, `    binds: ${up} of ${binds.length} up`];
  for (const { slot, bound, process } of binds)
    lines.push(`      ${slot}  ${bound ? 'up  ' : 'down'}  ${process || 'held by no process'}`);
  if (pause)
    lines.push(`    paused since ${pause.since.toISOString()}${pause.reason ? `: ${onOneLine(pause.reason)}` : ''}`);
  const { unmatched, unreadable } = parked;
  if (unmatched + unreadable > 0)
    lines.push(`    parked: ${unmatched} that match no message, ${unreadable} that can't be read`);
  return lines;
}

async function parked(
  { room, config, say }: Tools,
  asked: { operator: string | null; limit: number },
  json: boolean,
): Promise<void> {
  const rows = await room.parked({ ...asked, before: null });
  // One that was taken out of the configuration may still have parked receipts.
  if (rows.length === 0 && asked.operator !== null) requireConfigured(config, asked.operator);
  say(json ? toJson(rows.map(parkedJson)) : rows.map(parkedLine).join('\n') || 'nothing is parked');
}

async function match({ room, config, requireOthers, say }: Tools, id: string): Promise<void> {
  await requireOthers();
  const operator = config.operators.find((each) => each.id === id);
  if (!operator) throw noSuch(id, config);
  const { looked, matched } = await room.match(id, operator.messageId);
  say(`${matched} of ${looked} parked receipts name a message by message_id as it is now`);
  if (matched > 0) say('a running process takes them in within a minute');
}

/** @throws Refusal */
function requireConfigured(config: Config, id: string): void {
  if (!config.operators.some((operator) => operator.id === id)) throw noSuch(id, config);
}

const noSuch = (id: string, { operators }: Pick<Config, 'operators'>) =>
  new Refusal(operators.length === 0 ? notConfigured('no operator') : `no operator ${id} is configured`, 1);

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

/** Exit code 1 where there is a line to change. @param id null = all operators. */
async function doctor({ room, config, requireOthers, say }: Tools, id: string | null): Promise<number> {
  if (id !== null) requireConfigured(config, id);
  await requireOthers();
  if (config.operators.length === 0) throw new Refusal(notConfigured('no operator'), 1);
  const chosen = config.operators.filter((operator) => id === null || operator.id === id);
  const listed = await room.list();
  let found = 0;
  for (const operator of chosen) {
    for (const line of listed.filter((each) => each.id === operator.id).flatMap(linesOf)) say(line);
    const evidence = await room.evidence(operator.id, withoutPattern);
    const findings = diagnose(operator, evidence);
    for (const { what, advice } of findings) say(`    ${what}: ${advice}`);
    if (findings.length === 0)
      say(
        `    ${evidence.parked.length === 0 ? 'no receipt is parked, and none had an unknown word' : 'no setting would match more of what is parked'}`,
      );
    found += findings.length;
  }
  return found === 0 ? 0 : 1;
}
