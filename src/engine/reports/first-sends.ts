// The projection of an account's first sends: which changes may hold one, and which accounts are known to be dated. Most changes are of dated
// accounts, and cost one look into memory.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Message, Session } from '../../core/verify/session.ts';
import type { Queryable } from '../../db/queryable.ts';
import { dateFirstAppSends, dateFirstSms, findFirstSends, type SentMessage } from '../../db/reports/first-sends.ts';
import type { Projection } from './projector.ts';

/** The first live SMS an operator accepted; the first session sent from the business's own messaging-app number. */
type Measure = 'sms' | 'app';

export interface FirstSend extends SentMessage {
  measure: Measure;
}

/** Accounts remembered as dated. One that is forgotten costs a statement that finds it dated. */
const mostRemembered = 50_000;

export function firstSends(db: Queryable): Projection<FirstSend> {
  const dated: Record<Measure, BoundedMap<string, true>> = {
    sms: new BoundedMap(mostRemembered),
    app: new BoundedMap(mostRemembered),
  };

  async function project(rows: readonly FirstSend[], measure: Measure): Promise<void> {
    const own = rows.filter((row) => row.measure === measure);
    if (own.length === 0) return;
    const undated = measure === 'app' ? await dateFirstAppSends(db, own) : await dateFirstSms(db, own);
    for (const { accountId } of own) if (!undated.has(accountId)) dated[measure].set(accountId, true);
  }

  async function projectAll(rows: readonly FirstSend[]): Promise<void> {
    await project(rows, 'sms');
    await project(rows, 'app');
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
    project: projectAll,
    /** Pages of one measure, then of the other: `after` is `<measure> <account>`. */
    async repair(since, after) {
      const [measure = 'sms', account = ''] = (after || 'sms').split(' ') as [Measure, string?];
      const { found, next } = await findFirstSends(db, measure, since, account);
      await project(
        found.map((each) => ({ ...each, measure })),
        measure,
      );
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
