// `ramz erase`: takes a phone number out of everything that is stored of it. Straight on the database, because it must work without a running
// service; what is pending is ended by the running processes, which are asked to.

import { storedNumber } from '../core/erasure/number-forms.ts';
import { parsePhone } from '../core/phone.ts';
import { findAccountRow } from '../db/accounts/control.ts';
import { withSchema } from '../db/schema.ts';
import { Erasure, type NumberErased } from '../engine/erasure/erasure.ts';
import { cliActor } from './actor.ts';
import { exitCodeOf, flag, Refusal, readWords, text, type VerbOptions } from './command.ts';
import { requireRing, withDatabase } from './database.ts';

const usage = `usage: npm run ramz -- erase <+number> [--account <account id>] [--json]

  Erases a phone number from everything stored about it, and prints how many rows of each table were changed or deleted.
  Sessions stay, with their times, statuses and costs. Safe to repeat: what is erased is not found again.

  --account …   only the data of this account, in both modes
  --json        one JSON object`;

/** Resolves with the exit code: 0 done, 1 refused or not complete, 2 not understood. */
export async function erase(args: readonly string[], options: VerbOptions): Promise<number> {
  const { say, complain = say } = options;
  return exitCodeOf({ args, usage, say, complain }, async () => {
    const { number, isValid, accountId, json } = read(args);
    return withDatabase(options, 'ramz erase', async (opened) => {
      const { config, database, cells, embedded } = opened;
      // On lists numbers are hashed: with another ring none is found there, and all would seem to be erased.
      await requireRing(opened, ['lists']);
      if (accountId !== null && !(await findAccountRow(withSchema(database.db), accountId)))
        throw new Refusal(`no account ${accountId}`, 1);
      const dbs = { home: database.plain, cells: cells.map(({ plain }) => plain) };
      const erasure = new Erasure(dbs, Date.now, config.server.keyRing);
      const scope = accountId === null ? null : { accountId, mode: null };
      const request = { number, scope, actor: cliActor() };
      // Countries give lengths up: one that is valid no longer may be stored. Of a slip nothing is, and "nothing is left" would be taken for an erasure.
      const erased = await (isValid ? erasure.erase(request) : erasure.eraseStored(request));
      if (!erased)
        throw new Refusal('<+number> is no valid phone number, and nothing is stored of it: is it mistyped?', 1);
      for (const line of json ? [JSON.stringify(erased)] : describe(erased, embedded)) say(line);
      return erased.complete ? 0 : 1;
    });
  });
}

/** @param embedded See `DatabaseServer`: nothing is left there, and the database that DATABASE_URL was to name may still have all of it. */
function describe({ rows, complete }: NumberErased, embedded: string | null): string[] {
  const lines = Object.entries(rows)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([table, count]) => `${table.padEnd(20)} ${count}`);
  if (complete) return [...lines, `nothing of the number is left${embedded ? ` in ${embedded}` : ''}`];
  return [
    ...lines,
    'not complete: a session is still pending, and no running process has canceled it. Run this once more',
  ];
}

/** @throws Refusal */
function read(args: readonly string[]) {
  const { values, words } = readWords(args, { account: text, json: flag }, ['<+number>']);
  const number = storedNumber(words[0] ?? '');
  if (number === null) throw new Refusal('<+number> must be in international form: +213550123456', 2);
  const isValid = parsePhone(words[0] ?? '').kind === 'ok';
  return { number, isValid, accountId: values.account ?? null, json: values.json ?? false };
}
