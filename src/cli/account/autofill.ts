// Words about autofill: the sites and apps that live sends of an account may name.

import { domainToUnicode } from 'node:url';
import { originOf, webHost } from '../../core/verify/autofill.ts';
import { decideAutofill, listAutofill } from '../../db/accounts/autofill.ts';
import type { AccountAutofillRow } from '../../db/schema.ts';
import { Refusal } from './refusal.ts';
import type { AccountTools } from './tools.ts';

const listLimit = 1_000;

export async function listAutofillValues(tools: AccountTools, accountId: string | null): Promise<void> {
  const rows = await listAutofill(tools.db, accountId, listLimit);
  if (rows.length === 0) {
    tools.say(accountId === null ? 'no site and no app waits for approval' : `nothing is registered on ${accountId}`);
  }
  for (const row of rows) tools.say(describe(row));
}

export interface AutofillWords {
  accountId: string;
  value: string;
  approved: boolean;
}

/** An origin is taken in whatever form the account could register it; a package's name only where no site has it. */
export async function decideAutofillValue(tools: AccountTools, words: AutofillWords): Promise<void> {
  const { accountId, value, approved } = words;
  const host = webHost(value);
  const values = host === undefined ? [value] : [originOf(host)];
  const named = await decideAutofill(tools.db, accountId, { values }, approved);
  const rows = named.length > 0 ? named : await decideAutofill(tools.db, accountId, { packageName: value }, approved);
  if (rows.length === 0)
    throw new Refusal(`${accountId} has registered no ${value}: see autofill list ${accountId}`, 1);
  for (const row of rows) tools.say(describe(row));
}

function describe({ account_id, value, package_name, approved, created_at }: AccountAutofillRow): string {
  const what = package_name === null ? shownOrigin(value) : `${value}  ${package_name}`;
  return `${account_id}  ${what}  ${approved ? 'approved' : 'pending'}  since ${created_at.toISOString()}`;
}

/** With what a reader would see of a name in punycode: it may imitate another one. */
function shownOrigin(origin: string): string {
  const host = origin.replace('https://', '');
  const read = domainToUnicode(host);
  return read === host || read === '' ? origin : `${origin} (${read})`;
}
