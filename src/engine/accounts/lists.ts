// The lists of numbers and prefixes that codes are never sent to, or that rules which guess leave alone: an account's own for each mode, and the
// platform's, which holds for all accounts.

import type { Actor } from '../../core/accounts/actor.ts';
import { shardForAccount, shardForText } from '../../core/ids.ts';
import { type ListName, listIdPrefix, numberHash, parseListValue } from '../../core/limits/lists.ts';
import { maskPhone } from '../../core/phone.ts';
import { lockAccount } from '../../db/accounts/accounts.ts';
import { audit } from '../../db/accounts/audit.ts';
import { inTransaction, raiseChanges } from '../../db/changes.ts';
import * as rows from '../../db/limits/lists.ts';
import type { LimitEntryRow } from '../../db/schema.ts';
import type { AccountsContext } from './context.ts';

/** Entries of both lists of one owner together: they lie in the memory of every process. */
const most = { account: 1_000, platform: 10_000 };

export interface ListEntry {
  id: string;
  list: ListName;
  /** `+213551*`, or a number, masked. */
  value: string;
  note: string;
  createdAt: Date;
  createdBy: string;
}

export interface NewListEntry {
  list: ListName;
  /** A number, or a prefix with `*` behind it. */
  value: string;
  note: string;
  actor: Actor;
}

export type Listed =
  /** `entry` is the one that was there before, unchanged, where the value was on the list already. */
  | { kind: 'listed'; entry: ListEntry }
  | { kind: 'invalid_value' }
  /** The key ring has no `lists` key to know a number by. */
  | { kind: 'no_key' }
  | { kind: 'too_many'; most: number };

export class NumberLists {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  async add(owner: rows.ListOwner, { list, value, note, actor }: NewListEntry): Promise<Listed> {
    const { db, ids, ring, now, caches } = this.#context;
    const parsed = parseListValue(value);
    if (!parsed) return { kind: 'invalid_value' };
    if (parsed.kind === 'number' && !ring.has('lists')) return { kind: 'no_key' };
    const limit = owner ? most.account : most.platform;
    const at = new Date(now());
    const shard = owner ? shardForAccount(owner.accountId) : shardForText('platform');
    const entry: rows.NewEntry = {
      id: ids(listIdPrefix, shard),
      list,
      ...(parsed.kind === 'prefix' ? prefixColumns(parsed.prefix) : this.#numberColumns(parsed.number)),
      note,
      created_at: at,
      created_by: actor.id,
    };
    // Another key may have been current when the number was listed.
    const hashes = parsed.kind === 'number' ? ring.all('lists').map(({ key }) => numberHash(key, parsed.number)) : [];
    let changed = false;
    const listed = await inTransaction(db, async (tx): Promise<Listed> => {
      if (owner) await lockAccount(tx, owner.accountId);
      else await rows.lockPlatformLists(tx);
      const { row, isNew } = await rows.insertEntry(tx, owner, { entry, hashes });
      if (!isNew) return { kind: 'listed', entry: toEntry(row) };
      if ((await rows.countEntries(tx, owner)) > limit) {
        await rows.deleteEntry(tx, owner, row.id);
        return { kind: 'too_many', most: limit };
      }
      const about = { at, actor, target: row.id, ...ownerOf(owner) };
      await audit(tx, { ...about, action: 'create_list_entry', after: audited(row) });
      await raiseChanges(tx);
      changed = true;
      return { kind: 'listed', entry: toEntry(row) };
    });
    if (changed) caches?.clear(owner?.accountId);
    return listed;
  }

  /** Newest first. */
  async list(owner: rows.ListOwner, page: rows.ListPage): Promise<ListEntry[]> {
    return (await rows.listEntries(this.#context.db, owner, page)).map(toEntry);
  }

  /** The entry that was there; null = none of that id on the owner's lists. */
  async remove(owner: rows.ListOwner, id: string, actor: Actor): Promise<ListEntry | null> {
    const { db, now, caches } = this.#context;
    const removed = await inTransaction(db, async (tx) => {
      const row = await rows.deleteEntry(tx, owner, id);
      if (!row) return null;
      const about = { at: new Date(now()), actor, target: id, ...ownerOf(owner) };
      await audit(tx, { ...about, action: 'delete_list_entry', before: audited(row) });
      await raiseChanges(tx);
      return toEntry(row);
    });
    if (removed) caches?.clear(owner?.accountId);
    return removed;
  }

  #numberColumns(number: string) {
    const { id, key } = this.#context.ring.current('lists');
    const hash = numberHash(key, number);
    return { prefix: null, number_hash: hash, number_masked: maskPhone(number), hmac_key_id: id };
  }
}

/** The owner of a list as the audit log names it: both fields are null for the platform. */
const ownerOf = (owner: rows.ListOwner) => owner ?? { accountId: null, mode: null };

const prefixColumns = (prefix: string) => ({ prefix, number_hash: null, number_masked: null, hmac_key_id: null });

/** What was erased of a number leaves its hash alone. */
const shownValue = ({ prefix, number_masked }: LimitEntryRow): string =>
  prefix === null ? (number_masked ?? '*****') : `${prefix}*`;

/** A note says whose number it is, and the erasure of that number empties it. The audit log can't forget it, so it has only that there is one. */
const audited = (row: LimitEntryRow) => ({
  list: row.list,
  value: shownValue(row),
  note: row.note === '' ? '' : '*****',
});

const toEntry = (row: LimitEntryRow): ListEntry => ({
  id: row.id,
  list: row.list,
  value: shownValue(row),
  note: row.note,
  createdAt: row.created_at,
  createdBy: row.created_by,
});
