// Whole numbers among prefixes, which an account could store before they were refused: what it restricts itself and its keys to, and its lists.

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NumberForms } from '../../core/erasure/number-forms.ts';
import { changeInPages } from '../pages.ts';
import { type ErasureScope, within } from './number.ts';
import type { ErasedRows } from './session.ts';

/**
 * In place of the number stands its erased form, which no number begins with: without it an account or a key that sends to this number alone would
 * send everywhere. On a list it would refuse and allow nothing, so there it goes.
 */
export async function erasePrefixes(
  home: Kysely<unknown>,
  { e164, erased }: NumberForms,
  scope: ErasureScope | null,
): Promise<ErasedRows> {
  const is = (prefix: RawBuilder<unknown>) => sql<boolean>`starts_with(${prefix}, ${e164})`;
  const instead = sql`case when ${is(sql`p.prefix`)} then ${erased} else p.prefix end order by p.at`;
  const settings = await changeInPages(home, {
    columns: sql`account_id, mode, allowed_prefixes`,
    table: 'account_setting',
    key: 'account_id',
    where: within(scope),
    change: sql`update account_setting s set allowed_prefixes =
        (select array_agg(${instead}) from unnest(page.allowed_prefixes) with ordinality p(prefix, at))
      from page where s.account_id = page.account_id and s.mode = page.mode
        and exists (select from unnest(page.allowed_prefixes) p(prefix) where ${is(sql`p.prefix`)})`,
    perPage: 2_000,
  });
  const keys = await changeInPages(home, {
    columns: sql`id, restrictions -> 'prefixes' as prefixes`,
    table: 'api_key',
    key: 'id',
    where: sql`restrictions ? 'prefixes' and ${within(scope)}`,
    change: sql`update api_key k set restrictions = jsonb_set(k.restrictions, '{prefixes}',
        (select jsonb_agg(${instead}) from jsonb_array_elements_text(page.prefixes) with ordinality p(prefix, at)))
      from page where k.id = page.id
        and exists (select from jsonb_array_elements_text(page.prefixes) p(prefix) where ${is(sql`p.prefix`)})`,
    perPage: 2_000,
  });
  const entries = await changeInPages(home, {
    columns: sql`id`,
    table: 'limit_entry',
    key: 'id',
    where: sql`${is(sql`prefix`)} and ${within(scope)}`,
    change: sql`delete from limit_entry e using page where e.id = page.id`,
    perPage: 2_000,
  });
  return { account_setting: settings, api_key: keys, limit_entry: entries };
}
