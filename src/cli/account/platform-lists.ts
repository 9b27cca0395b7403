// `ramz account platform …`: the platform's own lists of numbers and prefixes, which hold for all accounts.

import type { ListName } from '../../core/limits/lists.ts';
import { pageSize, Refusal, readText, sayRows, text } from '../command.ts';
import { command } from '../program.ts';
import type { AccountTools } from './tools.ts';

export const platformCommands = [
  command({
    names: ['platform list'],
    usage: `
  platform list
      numbers and prefixes on the lists that hold for all accounts`,
    run: listPlatform,
  }),
  command({
    names: ['platform block', 'platform allow'],
    usage: `
  platform block|allow <+number or +prefix*> [--note …]`,
    takes: ['<+number or +prefix*>'],
    options: { note: text },
    run: (tools: AccountTools, { name, words: [value = ''], values }) =>
      addToPlatform(tools, name === 'platform block' ? 'block' : 'allow', { value, ...values }),
  }),
  command({
    names: ['platform remove'],
    usage: `
  platform remove <entry id>`,
    takes: ['<entry id>'],
    run: (tools: AccountTools, { words: [id = ''] }) => removeFromPlatform(tools, id),
  }),
];

async function listPlatform({ accounts, say }: AccountTools): Promise<void> {
  const count = await sayRows(
    (before) => accounts.lists.list(null, { list: null, limit: pageSize, before }),
    ({ id, list, value, createdAt, note }) =>
      say([id, list, value, createdAt.toISOString(), note].join('  ').trimEnd()),
  );
  if (count === 0) say('the lists of the platform are empty');
}

async function addToPlatform(
  { accounts, actor, requireRing, say }: AccountTools,
  list: ListName,
  { value, note = '' }: { value: string; note?: string | undefined },
): Promise<void> {
  const entry = { list, value, note: readText('--note', note, 'note'), actor };
  await requireRing();
  const outcome = await accounts.lists.add(null, entry);
  switch (outcome.kind) {
    case 'listed':
      say(`${outcome.entry.id}  ${list}  ${outcome.entry.value}`);
      say('It holds for all accounts, in every process within a second.');
      return;
    case 'invalid_value':
      throw new Refusal(
        '<+number or +prefix*> must be a number in international form, or a prefix with an asterisk: +213551*',
        2,
      );
    case 'no_key':
      throw new Refusal('the key ring has no lists key: add one, or list prefixes only', 1);
    case 'too_many':
      throw new Refusal(`the platform has at most ${outcome.most} entries`, 1);
  }
}

async function removeFromPlatform({ accounts, actor, say }: AccountTools, id: string): Promise<void> {
  const removed = await accounts.lists.remove(null, id, actor);
  if (!removed) throw new Refusal(`no entry ${id} on the lists of the platform`, 1);
  say(`${id}  removed: ${removed.list} ${removed.value}`);
}
