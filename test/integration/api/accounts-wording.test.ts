// Brands and texts through the waist on a real database: asked for by the account, decided by the operator of the service at the API
// or in the terminal, seen by every process.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from 'vitest';
import { runAccount } from '../../../src/cli/account.ts';
import { Refusal } from '../../../src/cli/command.ts';
import { approveOwn } from '../../../src/db/accounts/autofill.ts';
import { readChanges } from '../../../src/db/changes.ts';
import { AccountViews, createAccountSource } from '../../../src/engine/accounts/views.ts';
import { AccountService, type UpdateAccountRequestSchema } from '../../../src/gen/ramz/v1/account_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { adminToken, startProcess } from './accounts.ts';

type Change = MessageInitShape<typeof UpdateAccountRequestSchema>;

const { getAccount, updateAccount, decideWording } = AccountService.method;
const database = await testDatabase();
const api = await startProcess(database);

const fr = (text: string) => ({ language: 'fr', text });
const codeFirst = '{code} est votre code {brand}.';

let account: Awaited<ReturnType<typeof api.newAccount>>;
beforeEach(async () => {
  account = await api.newAccount();
});

type Shown = Awaited<ReturnType<typeof api.call<typeof getAccount>>>['account'];
const shown = (of: Shown) => ({
  brand: `${of?.brand} ${of?.brandStatus}`.trim(),
  named: of?.brandInUse,
  why: of?.brandReason,
  texts: of?.texts.map(({ language, text, status, textInUse }) => [language, text, status, textInUse]),
});
const change = async (asked: Change, token = account.live) =>
  shown((await api.call(token, updateAccount, asked)).account);
const stored = async (token = account.live) => shown((await api.call(token, getAccount)).account);
const decide = async (decision: MessageInitShape<(typeof decideWording)['input']>) =>
  shown((await api.call(adminToken, decideWording, { accountId: account.id, ...decision })).account);

async function run(...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  await runAccount(['wording', ...args], { ...api.tools, say: (line) => lines.push(line) });
  return lines;
}

describe('asking', () => {
  test('waits in live mode, and is approved at once in test mode, each mode for itself', async () => {
    const nothing = { brand: '', named: '', why: '', texts: [] };
    expect(await stored()).toEqual(nothing);
    expect(await change({ brand: 'My Shop', texts: [fr(codeFirst)] })).toEqual({
      brand: 'My Shop pending',
      named: '',
      why: '',
      texts: [['fr', codeFirst, 'pending', '']],
    });
    expect(await stored(account.test)).toEqual(nothing);
    expect(await change({ brand: 'Test', texts: [fr(codeFirst)] }, account.test)).toMatchObject({
      brand: 'Test approved',
      named: 'Test',
      texts: [['fr', codeFirst, 'approved', codeFirst]],
    });
    expect(await change({ brand: 'Other' }, account.test)).toMatchObject({ brand: 'Other approved', named: 'Other' });
    expect(await change({ brand: '' }, account.test)).toMatchObject({ brand: '', named: '' });
  });

  test('leaves alone what is not given; a list of texts replaces all texts', async () => {
    await change({ brand: 'My Shop', texts: [fr(codeFirst)] });
    await change({ language: 'fr' });
    const other = { language: 'en', text: '{code} is your code.' };
    expect(await change({ texts: [other] })).toMatchObject({
      brand: 'My Shop pending',
      texts: [['en', other.text, 'pending', '']],
    });
  });

  const twice = [fr('a {code}'), fr('b {code}')];
  test.each<[string, Change, string]>([
    ['an address', { brand: 'www.shop' }, 'brand'],
    ['digits that could be the code', { brand: 'Shop 2024' }, 'brand'],
    [
      'a brand too long for Arabic',
      { brand: 'x'.repeat(30), autofill: { webOrigins: ['a-long-name.example'] } },
      'brand',
    ],
    ['no code', { texts: [fr('Bonjour')] }, 'texts[0].text'],
    [
      'more than one SMS',
      {
        texts: [
          { language: 'en', text: '{code}' },
          { language: 'ar', text: `{code} ${'ب'.repeat(60)}` },
        ],
      },
      'texts[1].text',
    ],
    ['a language twice', { texts: twice }, 'texts[1].language'],
    ['a language nobody speaks', { texts: [{ language: 'de', text: '{code}' }] }, 'texts[0].language'],
  ])('refuses %s, and changes nothing', async (_, asked, field) => {
    const before = await change({ brand: 'My Shop', texts: [fr(codeFirst)] });
    const refusal = await api.refused(account.live, updateAccount, { language: 'en', ...asked });
    expect(refusal).toEqual({ code: 'invalid_argument', field });
    expect(await stored()).toEqual(before);
    expect((await api.call(account.live, getAccount)).account?.language).toBe('ar');
  });

  test('a brand that makes a key of receipts with the colon behind it is refused, and named where no colon follows', async () => {
    const refused = (asked: Change) => api.refused(account.live, updateAccount, asked);
    expect(await refused({ brand: 'Mobile ID' })).toEqual({ code: 'invalid_argument', field: 'brand' });
    expect(await change({ brand: 'Mobile ID', texts: [fr(codeFirst)] })).toMatchObject({ brand: 'Mobile ID pending' });
    const colon = { texts: [fr('{brand}: {code}')] };
    expect(await refused(colon)).toEqual({ code: 'invalid_argument', field: 'texts[0].text' });
    // The usual text has a colon there.
    const without = { texts: [], updateMask: { paths: ['texts'] } };
    expect(await refused(without)).toEqual({ code: 'invalid_argument', field: 'texts' });
  });

  test('a brand and a text that are asked for together fit beside what is in use, too: they are approved one by one', async () => {
    const refused = (asked: Change) => api.refused(account.live, updateAccount, asked);
    const roomy = fr(`{code} est votre code {brand}. ${'x'.repeat(115)}`);
    await change({ brand: 'x'.repeat(30) });
    await decide({ wording: { case: 'brand', value: 'x'.repeat(30) }, status: 'approved' });
    expect(await refused({ brand: 'SGD', texts: [roomy] })).toEqual({
      code: 'invalid_argument',
      field: 'texts[0].text',
    });
    // One after the other they are taken.
    await change({ brand: 'SGD' });
    await decide({ wording: { case: 'brand', value: 'SGD' }, status: 'approved' });
    await change({ texts: [roomy] });
    await decide({ wording: { case: 'text', value: roomy }, status: 'approved' });
    // The other way round: the text in use leaves the new brand no room.
    const brief = { brand: 'y'.repeat(30), texts: [fr(codeFirst)] };
    expect(await refused(brief)).toEqual({ code: 'invalid_argument', field: 'brand' });
    // In test mode both hold at once.
    await change({ brand: 'x'.repeat(30) }, account.test);
    await change({ brand: 'SGD', texts: [roomy] }, account.test);
    expect(await change(brief, account.test)).toMatchObject({ named: brief.brand });
  });

  test('a text that goes at once leaves the brand in use room in the usual one', async () => {
    const ar = { language: 'ar', text: '{code} هو رمز الدخول' };
    const brand = 'x'.repeat(30);
    const line = { autofill: { webOrigins: ['a-long-name.example'] } };
    // The usual text has no room for the brand beside that line.
    expect(await api.refused(account.live, updateAccount, { brand, texts: [ar], ...line })).toMatchObject({
      field: 'brand',
    });
    await change({ texts: [ar], ...line });
    await decide({ wording: { case: 'text', value: ar }, status: 'approved' });
    await change({ brand });
    await decide({ wording: { case: 'brand', value: brand }, status: 'approved' });
    const without = { brand: 'Shop', texts: [], updateMask: { paths: ['brand', 'texts'] } };
    expect(await api.refused(account.live, updateAccount, without)).toMatchObject({ field: 'texts' });
  });

  test('a site that leaves a text no room is refused, and may be named once it is registered', async () => {
    const long = 'a-rather-long-name.example';
    await change({ texts: [{ language: 'ar', text: '{code} هو رمز الدخول إلى حسابك' }] });
    const asked = { autofill: { webOrigins: [long] } };
    expect(await api.refused(account.live, updateAccount, asked)).toEqual({
      code: 'invalid_argument',
      field: 'autofill',
    });
    expect(await api.refused(account.live, updateAccount, { brand: 'shop.example' })).toMatchObject({ field: 'brand' });
    expect(await change({ brand: 'shop.example', autofill: { webOrigins: ['shop.example'] } })).toMatchObject({
      brand: 'shop.example pending',
    });
  });
});

describe('the decision', () => {
  test('puts into use what was read, and nothing that was asked for since', async () => {
    await change({ brand: 'My Shop', texts: [fr(codeFirst)] });
    await change({ brand: 'My Bank' });
    const wording = { case: 'brand', value: 'My Shop' } as const;
    const about = { accountId: account.id, wording, status: 'approved' };
    expect(await api.refused(adminToken, decideWording, about)).toMatchObject({ code: 'wording_not_found' });
    expect(await api.refused(account.live, decideWording, about)).toMatchObject({ code: 'invalid_admin_token' });
    expect(await decide({ wording: { case: 'text', value: fr(codeFirst) }, status: 'approved' })).toMatchObject({
      brand: 'My Bank pending',
      texts: [['fr', codeFirst, 'approved', codeFirst]],
    });
    expect(await decide({ wording: { case: 'brand', value: 'My Bank' }, status: 'approved' })).toMatchObject({
      named: 'My Bank',
    });
  });

  test('leaves in use what was approved before, until the next is', async () => {
    await change({ brand: 'Old' });
    await decide({ wording: { case: 'brand', value: 'Old' }, status: 'approved' });
    expect(await change({ brand: 'New' })).toMatchObject({ brand: 'New pending', named: 'Old' });
    expect(
      await decide({ wording: { case: 'brand', value: 'New' }, status: 'rejected', reason: 'not yours' }),
    ).toMatchObject({
      brand: 'New rejected',
      why: 'not yours',
      named: 'Old',
    });
    expect(await api.refused(account.live, updateAccount, { brand: 'New' })).toEqual({
      code: 'brand_not_approved',
      field: 'brand',
    });
    expect(await change({ brand: 'Old' })).toMatchObject({ brand: 'Old approved', named: 'Old' });
    await change({ brand: 'Newer' });
    expect(await decide({ wording: { case: 'brand', value: 'Newer' }, status: 'approved' })).toMatchObject({
      named: 'Newer',
    });
    // What was replaced is asked for again like anything else.
    expect(await change({ brand: 'Old' })).toMatchObject({ brand: 'Old pending', named: 'Newer' });
    expect(await change({ brand: '' })).toMatchObject({ brand: '', named: '' });
  });

  test('takes an approval back', async () => {
    await change({ texts: [fr(codeFirst)] });
    await decide({ wording: { case: 'text', value: fr(codeFirst) }, status: 'approved' });
    expect(await decide({ wording: { case: 'text', value: fr(codeFirst) }, status: 'rejected' })).toMatchObject({
      texts: [['fr', codeFirst, 'rejected', '']],
    });
    const again = { texts: [{ language: 'en', text: '{code}' }, fr(codeFirst)] };
    expect(await api.refused(account.live, updateAccount, again)).toEqual({
      code: 'text_not_approved',
      field: 'texts[1].text',
    });
  });

  test('in the terminal', async () => {
    await change({ brand: 'My Shop', texts: [fr(codeFirst)] });
    const waiting = (await run('list')).filter((line) => line.startsWith(account.id));
    expect(waiting.map((line) => line.split('  ').slice(1, 4))).toEqual([
      ['brand', '"My Shop"', 'pending'],
      ['fr', JSON.stringify(codeFirst), 'pending'],
    ]);
    expect((await run('approve', account.id, 'brand', 'My Shop'))[0]).toContain('approved');
    expect((await run('reject', account.id, 'fr', codeFirst, '--reason', 'no'))[0]).toContain('rejected (no)');
    expect(await stored()).toMatchObject({ named: 'My Shop', texts: [['fr', codeFirst, 'rejected', '']] });
    expect(await run('list', account.id)).toHaveLength(2);
    for (const args of [
      ['approve', account.id, 'brand', 'Other'],
      ['approve', account.id, 'de', 'x'],
    ]) {
      await expect(run(...args)).rejects.toMatchObject({ exitCode: 1 });
    }
    await expect(run('approve', account.id, 'brand')).rejects.toBeInstanceOf(Refusal);
  });

  test('reaches the engine of another process with its next look at the counter', async () => {
    const accounts = new AccountViews(createAccountSource(api.db));
    await accounts.saw(await readChanges(api.db));
    const seen = async () => {
      const changed = accounts.saw(await readChanges(api.db));
      const { brand, texts } = (await accounts.view(account.id, 'live')).wording;
      return { changed, brand, texts: [...texts] };
    };
    await change({ brand: 'My Shop', texts: [fr(codeFirst)] });
    expect(await seen()).toEqual({ changed: true, brand: null, texts: [] });
    await decide({ wording: { case: 'brand', value: 'My Shop' }, status: 'approved' });
    await decide({ wording: { case: 'text', value: fr(codeFirst) }, status: 'approved' });
    expect(await seen()).toEqual({ changed: true, brand: 'My Shop', texts: [['fr', codeFirst]] });
  });

  test('is not needed by the sandbox’s own account, for what it has and what it adds', async () => {
    await change({ brand: 'My Shop' });
    await approveOwn(api.db, account.id);
    expect(await stored()).toMatchObject({ named: 'My Shop' });
    expect(await change({ brand: 'Other', texts: [fr(codeFirst)] })).toMatchObject({
      named: 'Other',
      texts: [['fr', codeFirst, 'approved', codeFirst]],
    });
  });

  test('leaves one brand where all are approved at once, and takes no older one back when that is rejected', async () => {
    await change({ brand: 'Old' });
    await decide({ wording: { case: 'brand', value: 'Old' }, status: 'approved' });
    await change({ brand: 'New' });
    await approveOwn(api.db, account.id);
    expect(await run('list', account.id)).toHaveLength(1);
    expect(await decide({ wording: { case: 'brand', value: 'New' }, status: 'rejected' })).toMatchObject({ named: '' });
  });

  test('of two changes at once one is asked for, never both', async () => {
    const other = await startProcess(database);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([
        api.call(account.live, updateAccount, { brand: `A${round}` }),
        other.call(account.live, updateAccount, { brand: `B${round}` }),
      ]);
      expect(await run('list', account.id)).toHaveLength(1);
    }
  });
});
