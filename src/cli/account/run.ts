// Tells the words of `npm run account -- …` apart and reads their options. Knows no environment and opens nothing.

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { create, createOneKey, listKeys, revokeKey } from './keys.ts';
import { Refusal } from './refusal.ts';
import { decideSender, listSenders } from './senders.ts';
import type { AccountTools } from './tools.ts';
import { unlock } from './unlock.ts';

export { Refusal } from './refusal.ts';

export const usage = `usage: npm run account -- <words>

  create <name> [--language ar|fr|en]
      makes an account; prints its id, its live and its test key
  key create <account id> [--mode live|test] [--name …] [--scopes verify,read,manage] [--expires 2027-01-31]
  key list <account id> [--revoked]
  key revoke <key id>
  unlock <account id> <+number> [--mode live|test]
      lets checks of a number be answered again that too many wrong codes have locked
  sender list
      sender names that wait for an operator, of all accounts
  sender approve|reject|revoke <sender id> <operator>… [--reason …]
      records what operators decided`;

/** @throws Refusal with what is wrong, for the terminal. */
export async function runAccount(args: readonly string[], tools: AccountTools): Promise<void> {
  const [noun, verb, ...rest] = args;
  switch (noun === 'create' || noun === 'unlock' ? noun : `${noun} ${verb ?? ''}`) {
    case 'create': {
      const { values, words } = read(args.slice(1), { language: { type: 'string' } }, 1);
      return create(tools, { name: words[0] ?? '', language: values.language });
    }
    case 'unlock': {
      const { values, words } = read(args.slice(1), { mode: { type: 'string' } }, 2);
      return unlock(tools, { accountId: words[0] ?? '', number: words[1] ?? '', ...values });
    }
    case 'key create': {
      const text = { type: 'string' } as const;
      const { values, words } = read(rest, { mode: text, name: text, scopes: text, expires: text }, 1);
      return createOneKey(tools, { accountId: words[0] ?? '', ...values });
    }
    case 'key list': {
      const { values, words } = read(rest, { revoked: { type: 'boolean' } }, 1);
      return listKeys(tools, { accountId: words[0] ?? '', revoked: values.revoked ?? false });
    }
    case 'key revoke':
      return revokeKey(tools, read(rest, {}, 1).words[0] ?? '');
    case 'sender list':
      read(rest, {}, 0);
      return listSenders(tools);
    case 'sender approve':
    case 'sender reject':
    case 'sender revoke': {
      const { values, words } = read(rest, { reason: { type: 'string' } }, 2, Number.POSITIVE_INFINITY);
      const [senderId = '', ...operators] = words;
      const decision = verb === 'approve' ? 'approved' : verb === 'reject' ? 'rejected' : 'revoked';
      return decideSender(tools, { senderId, operators, decision, reason: values.reason ?? '' });
    }
    default:
      throw new Refusal(usage, 2);
  }
}

function read<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  least: number,
  most = least,
) {
  try {
    const { values, positionals: words } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (words.length < least || words.length > most) throw new Refusal(usage, 2);
    return { values, words };
  } catch (error) {
    // parseArgs throws TypeErrors that name the option at fault.
    throw error instanceof TypeError ? new Refusal(`${error.message}\n\n${usage}`, 2) : error;
  }
}
