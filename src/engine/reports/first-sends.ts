// The projection of an account's first sends: which changes may hold one, and which accounts are known to be dated. Most changes are of dated
// accounts, and cost one look into memory. Accounts lie at home and messages in their cell, so that a first SMS is dated in two steps: its
// account claims it, then the message is marked. A process that dies in between leaves the claim, which `repair` finds.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Message, Session } from '../../core/verify/session.ts';
import type { Queryable } from '../../db/queryable.ts';
import {
  claimFirstSms,
  dateAppSends,
  endClaims,
  type FirstSms,
  openFirstSms,
  type SentMessage,
  undatedAccounts,
  unmarkedFirstSms,
  withoutAppSend,
} from '../../db/reports/account-dates.ts';
import { earliestSent, findFirstSends, firstSendsSince, markFirstSms } from '../../db/reports/first-sends.ts';
import type { Projection } from './projector.ts';

/** The first live SMS an operator accepted; the first session sent from the business's own WhatsApp number. */
type Measure = 'sms' | 'app';

export interface FirstSend extends SentMessage {
  measure: Measure;
}

/** Accounts remembered as dated. One that is forgotten costs a statement that finds it dated. */
const mostRemembered = 50_000;

/** `cell`: where the sessions lie that are projected. */
export function firstSends({ home, cell }: { home: Queryable; cell: Queryable }): Projection<FirstSend> {
  const dated: Record<Measure, BoundedMap<string, true>> = {
    sms: new BoundedMap(mostRemembered),
    app: new BoundedMap(mostRemembered),
  };

  async function project(rows: readonly SentMessage[], measure: Measure): Promise<void> {
    if (rows.length === 0) return;
    const accountIds = [...new Set(rows.map(({ accountId }) => accountId))];
    const undated = measure === 'sms' ? await dateSms(rows, accountIds) : await dateApp(rows, accountIds);
    for (const accountId of accountIds) if (!undated.has(accountId)) dated[measure].set(accountId, true);
  }

  /** Returns the accounts that have no date still. */
  async function dateSms(rows: readonly SentMessage[], accountIds: readonly string[]): Promise<Set<string>> {
    const open = await openFirstSms(home, accountIds);
    await mark(open.unmarked);
    const undated = new Set(open.undated);
    const candidates = rows.filter(({ accountId }) => undated.has(accountId));
    if (candidates.length === 0) return undated;
    const found = await earliestSent(cell, candidates);
    if (found.length > 0) await mark(await claimFirstSms(home, found));
    for (const { accountId } of found) undated.delete(accountId);
    return undated;
  }

  async function mark(claimed: readonly FirstSms[]): Promise<void> {
    if (claimed.length === 0) return;
    const marked = await markFirstSms(cell, claimed);
    if (marked.length > 0) await endClaims(home, marked);
  }

  async function dateApp(rows: readonly SentMessage[], accountIds: readonly string[]): Promise<Set<string>> {
    const linked = new Map((await withoutAppSend(home, accountIds)).map((each) => [each.accountId, each.connectedAt]));
    const sessions = rows.flatMap(({ accountId, sessionId }) => {
      const connectedAt = linked.get(accountId) ?? null;
      return connectedAt === null ? [] : [{ accountId, sessionId, connectedAt }];
    });
    const sends = sessions.length > 0 ? await firstSendsSince(cell, sessions) : [];
    if (sends.length > 0) await dateAppSends(home, sends);
    for (const { accountId } of sends) linked.delete(accountId);
    return new Set(linked.keys());
  }

  return {
    name: 'first_sends',
    /** Of the whole session: what one process did not come to is then done after the next change, in whichever process. */
    rowsOf: ({ session }) =>
      session.mode === 'live'
        ? session.messages.flatMap((message) => {
            const measure = measureOf(message);
            const isNew = measure !== null && !dated[measure].has(session.accountId);
            return isNew ? [firstSend(measure, session, message)] : [];
          })
        : [],
    async project(rows) {
      for (const measure of ['sms', 'app'] as const) {
        await project(
          rows.filter((row) => row.measure === measure),
          measure,
        );
      }
    },
    /** Pages of one measure, then of the other: `after` is `<measure> <account>`. */
    async repair(since, after) {
      const [measure = 'sms', account = ''] = (after || 'sms').split(' ') as [Measure, string?];
      // Those of other cells are marked where their own commits are looked through.
      if (after === '') await mark(await unmarkedFirstSms(home));
      const { accounts, next } = await undatedAccounts(home, measure, account);
      if (accounts.length > 0) await project(await findFirstSends(cell, measure, since, accounts), measure);
      const end = measure === 'sms' ? 'app' : null;
      return next === null ? end : `${measure} ${next}`;
    },
  };
}

function measureOf({ channel, submittedAt, senderId, senderFallback }: Message): Measure | null {
  if (submittedAt === null) return null;
  if (channel === 'sms') return 'sms';
  // Only a business's own number has a name there, and none is left once the message went out from the platform's.
  return channel === 'whatsapp' && senderId !== null && !senderFallback ? 'app' : null;
}

const firstSend = (measure: Measure, session: Session, message: Message): FirstSend => ({
  measure,
  accountId: session.accountId,
  sessionId: session.id,
  messageId: message.id,
});
