// What a new user of the command line meets: words that are wrong are refused before anything is opened, by a line that names the word at
// fault, below the usage of that one command.
import { expect, test } from 'vitest';
import { account } from '../../../src/cli/account.ts';
import { administrators } from '../../../src/cli/administrators.ts';
import { cells } from '../../../src/cli/cells.ts';
import { destroy } from '../../../src/cli/destroy.ts';
import { doctor } from '../../../src/cli/doctor.ts';
import { erase } from '../../../src/cli/erase.ts';
import { keys } from '../../../src/cli/keys.ts';
import { operators } from '../../../src/cli/operators.ts';
import { prompts } from '../../../src/cli/prompts.ts';
import { report } from '../../../src/cli/report.ts';
import { send } from '../../../src/cli/send.ts';

/** `RAMZ_DATA` is nowhere: a program that opened anything would fail otherwise. */
const env = { RAMZ_DATA: '/nonexistent' };
const programs = { account, administrators, cells, destroy, doctor, erase, keys, operators, prompts, report, send };

async function run(program: keyof typeof programs, args: readonly string[]) {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  const options = { env, say: add, complain: add, write: () => {}, ask: null };
  const code = await programs[program](args, options);
  const said = lines.join('\n').split('\n');
  const commands = said.filter((line) => /^ {2}[a-z]/.test(line)).map((line) => line.trim().split(/ [<[]/)[0]);
  return { code, first: said[0], commands, last: said.at(-1) };
}

const of = (call: string) => `usage: npm run ${call} <words>`;
const onAccounts = of('account --');

const accountCases: [string, string, string[]][] = [
  ['create', '<name> is missing', ['create']],
  ['create My Shop', '"Shop" is one word too many', ['create']],
  ['create Shop --colour red', "Unknown option '--colour'", ['create']],
  ['create Shop --language', "Option '--language <value>' argument missing", ['create']],
  ['key create', '<account id> is missing', ['key create']],
  ['key list acct_1 acct_2', '"acct_2" is one word too many', ['key list']],
  ['key list acct_1 --revoked=yes', "Option '--revoked' does not take an argument", ['key list']],
  ['key revoke', '<key id> is missing', ['key revoke', 'key revoke --all']],
  ['show', '<account id> is missing', ['show']],
  ['approve', '<account id> is missing', ['approve']],
  ['list all', '"all" is one word too many', ['list']],
  ['waiting all', '"all" is one word too many', ['waiting']],
  ['suspend', '<account id> is missing', ['suspend']],
  ['resume', '<account id> is missing', ['resume']],
  ['suspended all', '"all" is one word too many', ['suspended']],
  ['unlock', '<account id> is missing', ['unlock']],
  ['unlock acct_1', '<+number> is missing', ['unlock']],
  ['unlock acct_1 +213 551234567', '"55123…" is one word too many', ['unlock']],
  ['close', '<account id> is missing', ['close']],
  ['reopen', '<account id> is missing', ['reopen']],
  ['export', '<account id> is missing', ['export']],
  ['limits', '<account id> is missing', ['limits']],
  ['limits acct_1 --sends-per-year 1', "Unknown option '--sends-per-year'", ['limits']],
  ['stop list acct_1 acct_2', '"acct_2" is one word too many', ['stop list']],
  ['stop lift', '<stop id> is missing', ['stop lift']],
  ['platform list all', '"all" is one word too many', ['platform list']],
  ['platform allow', '<+number or +prefix*> is missing', ['platform block|allow']],
  ['platform remove', '<entry id> is missing', ['platform remove']],
  ['sender list all', '"all" is one word too many', ['sender list']],
  ['sender approve', '<sender id> is missing', ['sender approve|reject|revoke']],
  ['sender revoke snd_1', '<operator>… is missing', ['sender approve|reject|revoke']],
  ['autofill list a b', '"b" is one word too many', ['autofill list']],
  ['autofill approve a', '<web origin, app hash or package name> is missing', ['autofill approve|revoke']],
  ['wording list a b', '"b" is one word too many', ['wording list']],
  ['wording reject a', 'brand|ar|fr|en is missing', ['wording approve|reject']],
  ['wording approve a fr', '<brand or text> is missing', ['wording approve|reject']],
  ['stop', '"stop" is no command', ['stop list', 'stop lift']],
  ['stop end stop_1', '"stop end" is no command', ['stop list', 'stop lift']],
];

test.each(accountCases)('account %s', async (line, last, commands) => {
  expect(await run('account', line.split(' '))).toEqual({ code: 2, first: onAccounts, commands, last });
});

test('account without a command, or with one that there is none of, shows all', async () => {
  const none = await run('account', []);
  expect(none).toMatchObject({ code: 2, first: onAccounts, last: 'a command is missing' });
  const wrong = await run('account', ['acount', 'show']);
  expect(wrong).toEqual({ ...none, last: '"acount" is no command' });
  const tried = accountCases.flatMap(([, last, commands]) => (last.endsWith('is no command') ? [] : commands));
  expect(none.commands.filter((each) => !tried.includes(each ?? ''))).toEqual([]);
});

test.each<[keyof typeof programs, string, string, string]>([
  ['administrators', 'create', of('ramz -- administrators'), '<name> is missing'],
  ['administrators', 'create A B', of('ramz -- administrators'), '"B" is one word too many'],
  ['administrators', 'revoke', of('ramz -- administrators'), '<administrator id> is missing'],
  ['administrators', 'list --all', of('ramz -- administrators'), "Unknown option '--all'"],
  ['administrators', 'drop x', of('ramz -- administrators'), '"drop" is no command'],
  ['cells', 'list --nope', of('ramz -- cells'), "Unknown option '--nope'"],
  ['cells', 'plan 0-255', of('ramz -- cells'), '"0-255" is one word too many'],
  ['cells', 'carry all', of('ramz -- cells'), '"all" is one word too many'],
  ['destroy', '--all', 'usage: npm run ramz -- destroy [--yes] [--gone]', "Unknown option '--all'"],
  ['destroy', 'x', 'usage: npm run ramz -- destroy [--yes] [--gone]', '"x" is one word too many'],
  ['doctor', 'all', of('ramz -- doctor'), '"all" is no command'],
  ['doctor', 'operators a b', of('ramz -- doctor'), '"b" is one word too many'],
  ['erase', '', 'usage: npm run ramz -- erase <+number> [--account <account id>] [--json]', '<+number> is missing'],
  ['keys', 'rotate --wait soon', of('ramz -- keys'), '--wait must be a whole number of seconds, 0 to 99999'],
  ['keys', 'remove', of('ramz -- keys'), '<key id> is missing'],
  ['keys', 'status all', of('ramz -- keys'), '"all" is one word too many'],
  ['operators', 'pause', of('ramz -- operators'), '<operator> is missing'],
  ['operators', 'rebind a 1 2', of('ramz -- operators'), '"2" is one word too many'],
  ['operators', 'dance', of('ramz -- operators'), '"dance" is no command'],
  ['prompts', 'play', of('--silent ramz -- prompts'), '<code> is missing'],
  ['prompts', 'play 12a', of('--silent ramz -- prompts'), '<code> must be 1 to 10 digits'],
  ['prompts', 'play 1 --lang en', of('--silent ramz -- prompts'), '--lang must be one of ar, fr'],
  ['prompts', 'import', of('--silent ramz -- prompts'), '<folder or ZIP> is missing'],
  ['report', '30d', 'usage: npm run ramz -- report [options]', '"30d" is one word too many'],
  ['report', '--since', 'usage: npm run ramz -- report [options]', "Option '--since <value>' argument missing"],
])('%s %s', async (program, line, first, last) => {
  expect(await run(program, line.split(' ').filter(Boolean))).toMatchObject({ code: 2, first, last });
});

test('help is no mistake: of a program, and of one command', async () => {
  expect(await run('keys', ['help', 'remove'])).toMatchObject({ code: 0, commands: ['remove', 'remove'] });
  expect(await run('account', ['key', 'list', '--help'])).toMatchObject({ code: 0, first: onAccounts });
  for (const program of Object.keys(programs) as (keyof typeof programs)[])
    expect(await run(program, ['--help'])).toMatchObject({ code: 0, first: expect.stringMatching(/^usage: /) });
});

test('without `npm start`, send says what is missing', async () => {
  expect(await run('send', ['+213551234567'])).toMatchObject({ code: 1, last: expect.stringContaining('npm start') });
});
