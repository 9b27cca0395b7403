// The waba room: links of businesses' own WhatsApp accounts, for the API, the signup's page, the channel and the loops.

import type { Actor } from '../../core/accounts/actor.ts';
import type { WabaRow } from '../../db/schema.ts';
import { countWabas, findWaba, hastenWabas, type WabaCounts } from '../../db/waba/links.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { SealedRows } from '../secrets/resealing.ts';
import {
  type Begun,
  begin,
  type LinkRequest,
  makeSignup,
  readSignup,
  type SignupCreated,
  type SignupState,
} from './begin.ts';
import { unobserved, type WabaContext } from './context.ts';
import { type AccountStop, breakLink, disconnect, stopAccount, unsubscribe } from './end.ts';
import { Linker } from './linker.ts';
import { OwnNumbers } from './numbers.ts';
import { Recipients } from './recipients.ts';
import { sealedLinks } from './stored-link.ts';

export type { WabaRow } from '../../db/schema.ts';
export type { Begun, LinkRequest, SignupState } from './begin.ts';
export type { AccountStop } from './end.ts';

export class Waba {
  readonly numbers: OwnNumbers;
  readonly linker: Linker;
  readonly recipients: Recipients;
  /** Set when `run` is to be called. */
  readonly due = new Wakeup();
  #changes = -1;
  readonly #context: WabaContext;

  constructor(context: WabaContext) {
    this.#context = context;
    this.numbers = new OwnNumbers(context);
    this.linker = new Linker(context, this.numbers);
    this.recipients = new Recipients(context);
  }

  get offersSignup(): boolean {
    return this.#offers && this.#context.settings.hasSignup;
  }

  get #offers(): boolean {
    const { settings, ring } = this.#context;
    return settings.platform !== null && ring.has('waba_secret');
  }

  /** The account's link. Where it is connected, this process knows its number by then: who reads that may send at once. */
  async find(accountId: string): Promise<WabaRow | undefined> {
    const row = await findWaba(this.#context.db, accountId);
    const isNews = this.numbers.ofAccount(accountId)?.connectedAt !== row?.connected_at?.getTime();
    if (row?.status === 'connected' && isNews) await this.numbers.refresh();
    return row;
  }

  async createSignup(accountId: string, actor: Actor): Promise<SignupCreated> {
    const { db, now } = this.#context;
    if (!this.offersSignup) return { kind: 'not_offered' };
    if ((await findWaba(db, accountId))?.status === 'connected') return { kind: 'already_connected' };
    return makeSignup(db, { accountId, actor, now: now() });
  }

  signupState(state: string): Promise<SignupState> {
    return readSignup(this.#context.db, state, this.#context.now());
  }

  /** `accountId`: of the caller; without one the state alone decides whose signup it is. */
  async begin(request: LinkRequest, accountId?: string): Promise<Begun> {
    if (!this.#offers || (request.by.kind === 'code' && !this.offersSignup)) return { kind: 'not_offered' };
    const begun = await begin(this.#context, request, accountId);
    if (begun.kind === 'begun') {
      this.linker.drive(begun.waba);
      await this.numbers.refresh();
    }
    return begun;
  }

  /** Undefined: there was nothing to end. */
  async disconnect(accountId: string, actor: Actor): Promise<WabaRow | undefined> {
    const { after, ended } = await disconnect(this.#context, accountId, actor);
    if (ended) {
      await this.numbers.refresh();
      await unsubscribe(this.#context, ended);
    }
    return after;
  }

  /** The platform has ended or suspended an account. Returns how many links that stopped. */
  async accountStopped(stop: AccountStop): Promise<number> {
    const { observer = unobserved } = this.#context;
    const stopped = await stopAccount(this.#context, stop);
    for (const row of stopped) observer.linkChanged(row);
    if (stopped.length > 0) await this.numbers.refresh();
    return stopped.length;
  }

  /** Something about the account has changed: how it stands is read from the platform, whatever the callback's content. */
  async accountChanged(wabaId: string): Promise<void> {
    await hastenWabas(this.#context.db, wabaId, new Date(this.#context.now()));
  }

  /** A send was refused because the token is not accepted any more. The number is not used from this moment on. */
  tokenRefused(phoneNumberId: string, code: string): void {
    const number = this.numbers.stopUsing(phoneNumberId);
    if (!number) return;
    const stored = async () => {
      const { observer = unobserved } = this.#context;
      const row = await breakLink(this.#context, number, code);
      if (row) observer.linkChanged(row);
      await this.numbers.refresh();
    };
    stored().catch((error) => {
      this.numbers.useAgain(phoneNumberId);
      const fields = { err: error, account_id: number.accountId, phone_number_id: phoneNumberId };
      this.#context.log.error(fields, 'a refused token could not be stored; the number is used until the next refusal');
    });
  }

  /** A pulse found the change counter of links at `changes`, and a link due at `dueAt` (Unix ms). Sets `due`. */
  saw(changes: number, dueAt: number | null): void {
    const isDue = dueAt !== null && dueAt <= this.#context.now() && this.#context.settings.platform !== null;
    if (isDue || changes !== this.#changes) this.due.set();
    this.#changes = changes;
  }

  /** What is sealed of links, for sealing it again. */
  get sealed(): SealedRows {
    return sealedLinks(this.#context.ring);
  }

  /** Another key ring is in force: tokens that could not be opened may be now. Sets `due`. */
  ringChanged(): void {
    this.numbers.forget();
    this.due.set();
  }

  /** Takes over what was changed elsewhere, and goes on with links that are due. */
  async run(): Promise<void> {
    await this.numbers.refresh();
    await this.linker.sweep();
  }

  count(): Promise<WabaCounts> {
    return countWabas(this.#context.db);
  }

  /** Ends after the steps under way. */
  close(): Promise<void> {
    return this.linker.close();
  }
}
