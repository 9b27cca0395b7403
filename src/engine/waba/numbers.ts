// The businesses' own numbers, as this process knows them. Every leg and every callback needs them, so they are kept in memory
// and read again when some link has changed anywhere.

import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { approvedLanguages, type WabaHealth } from '../../core/waba/link.ts';
import { readChanges } from '../../db/changes.ts';
import type { WabaRow } from '../../db/schema.ts';
import { listWabas } from '../../db/waba/links.ts';
import { unobserved, type WabaContext } from './context.ts';
import { openSecret } from './stored-link.ts';

/** A number of a business that messages can go out from. */
export interface OwnNumber {
  accountId: string;
  wabaId: string;
  phoneNumberId: string;
  displayName: string;
  token: string;
  /** Languages whose template can be used. */
  languages: ReadonlySet<string>;
  /** What the platform last said of the number; null = not asked yet. */
  health: WabaHealth | null;
  /** Which link it is, Unix ms: a later one of the same number is another. */
  connectedAt: number;
}

export class OwnNumbers {
  readonly #context: WabaContext;
  #byAccount = new Map<string, OwnNumber>();
  #byNumber = new Map<string, OwnNumber>();
  /** Every number that is or was linked, whatever became of it: its messages are still reported on. */
  #known = new Set<string>();
  /** Links whose token was refused a moment ago and that may not be stored as broken yet: id → its connectedAt. */
  readonly #refused = new Map<string, number>();
  #changes = -1;
  #reading: Promise<void> | null = null;

  constructor(context: WabaContext) {
    this.#context = context;
  }

  ofAccount(accountId: string): OwnNumber | null {
    return this.#unlessRefused(this.#byAccount.get(accountId));
  }

  ofNumber(phoneNumberId: string): OwnNumber | null {
    return this.#unlessRefused(this.#byNumber.get(phoneNumberId));
  }

  isKnown(phoneNumberId: string): boolean {
    return this.#known.has(phoneNumberId);
  }

  /** The number is not used from here on, at once and without waiting for the database. Returns it while it was in use. */
  stopUsing(phoneNumberId: string): OwnNumber | null {
    const number = this.ofNumber(phoneNumberId);
    if (number) this.#refused.set(phoneNumberId, number.connectedAt);
    return number;
  }

  /** The refusal could not be stored: the stored state holds again, and the next refusal tries once more. */
  useAgain(phoneNumberId: string): void {
    this.#refused.delete(phoneNumberId);
  }

  /** The next `refresh` reads again, whether or not a link has changed. */
  forget(): void {
    this.#changes = -1;
  }

  /** Called when some link has changed. @throws when the database is away; then what is known holds. */
  async refresh(): Promise<void> {
    const before = this.#reading;
    const turn = (before ?? Promise.resolve()).catch(() => {}).then(() => this.#read());
    this.#reading = turn;
    await turn;
  }

  async #read(): Promise<void> {
    const { db, ring, observer = unobserved } = this.#context;
    const changes = await readChanges(db, 'waba');
    if (changes === this.#changes) return;
    const rows = await listWabas(db);
    const before = this.#byNumber;
    const numbers = rows.flatMap((row) => ownNumber(ring, row));
    this.#byAccount = new Map(numbers.map((number) => [number.accountId, number]));
    this.#byNumber = new Map(numbers.map((number) => [number.phoneNumberId, number]));
    this.#known = new Set(rows.map((row) => row.phone_number_id));
    this.#changes = changes;
    for (const [id, connectedAt] of this.#refused) {
      if (this.#byNumber.get(id)?.connectedAt !== connectedAt) this.#refused.delete(id);
    }
    const isOther = (id: string) => before.get(id)?.token !== this.#byNumber.get(id)?.token;
    observer.numbersChanged([...new Set([...before.keys(), ...this.#byNumber.keys()])].filter(isOther));
  }

  #unlessRefused(number: OwnNumber | undefined): OwnNumber | null {
    return number && this.#refused.get(number.phoneNumberId) !== number.connectedAt ? number : null;
  }
}

/** Empty where nothing can be sent from it: not connected, or its token can't be opened, which its next step finds out. */
function ownNumber(ring: KeyRing, row: WabaRow): OwnNumber[] {
  const token = row.status === 'connected' ? openSecret(ring, row, 'token') : undefined;
  if (token === undefined || row.connected_at === null) return [];
  return [
    {
      accountId: row.account_id,
      wabaId: row.waba_id,
      phoneNumberId: row.phone_number_id,
      token,
      displayName: row.display_name || row.phone_number || row.phone_number_id,
      languages: new Set(approvedLanguages(row.templates)),
      health: row.health,
      connectedAt: row.connected_at.getTime(),
    },
  ];
}
