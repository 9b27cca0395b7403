// Whole numbers where the beginnings of numbers belong: those are stored in clear, and would survive the erasure of the number.
import { expect, test } from 'vitest';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { ApiKeyService } from '../../../src/gen/ramz/v1/api_key_pb.ts';
import { LimitListService } from '../../../src/gen/ramz/v1/limit_list_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { rowsWith } from '../../support/rows-with.ts';
import { startProcess } from './accounts.ts';

const { updateAccount } = AccountService.method;
const { createApiKey } = ApiKeyService.method;
const { createListEntry } = LimitListService.method;
const database = await testDatabase();
const api = await startProcess(database);

const number = '+213551234567';

test.each([number, `${number}12`])('%s is refused wherever a prefix belongs, and stored nowhere', async (whole) => {
  const { live } = await api.newAccount();
  const refusals = [
    await api.refused(live, updateAccount, { allowedPrefixes: ['+21366', whole] }),
    await api.refused(live, createApiKey, { name: 'k', restrictions: { prefixes: ['+21355', whole] } }),
    await api.refused(live, createListEntry, { list: 'block', value: `${whole}*` }),
  ];
  expect(refusals).toEqual([
    { code: 'invalid_argument', field: 'allowed_prefixes[1]' },
    { code: 'invalid_argument', field: 'restrictions.prefixes[1]' },
    { code: 'invalid_argument', field: 'value' },
  ]);
  expect(await rowsWith(database.plain, number)).toEqual({});
});

test('what is a digit shorter is taken', async () => {
  const { live } = await api.newAccount();
  const prefix = number.slice(0, -1);
  expect(await api.call(live, updateAccount, { allowedPrefixes: [prefix] })).toMatchObject({
    account: { allowedPrefixes: [prefix] },
  });
  const { apiKey } = await api.call(live, createApiKey, { name: 'k', restrictions: { prefixes: [prefix] } });
  expect(apiKey).toMatchObject({ restrictions: { prefixes: [prefix] } });
});
