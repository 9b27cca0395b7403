// What becomes of a message that was written, or was to be: the carrier's answer is stored, with the reference by which its receipts will find
// the message.

import type { SendOutcome } from '../../channels/channel.ts';
import type { Event } from '../../core/verify/event.ts';
import { type Message, referenceSpaceOf, type Session } from '../../core/verify/session.ts';
import { untilStored } from '../../time/repeat.ts';
import type { EngineContext } from '../context.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { Filed, References } from '../receipts/references.ts';
import type { ApplyOptions } from '../sessions/session-line.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { isCallOf, nameless } from './outgoing.ts';
import type { PutOff } from './put-off.ts';

interface OutcomeRooms {
  sessions: Sessions;
  references: References;
  receipts: Receipts;
  putOff: PutOff;
}

export class Outcomes {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;
  readonly #references: References;
  readonly #receipts: Receipts;
  readonly #putOff: PutOff;

  constructor(context: EngineContext, { sessions, references, receipts, putOff }: OutcomeRooms) {
    this.#context = context;
    this.#sessions = sessions;
    this.#references = references;
    this.#receipts = receipts;
    this.#putOff = putOff;
  }

  /** What the carrier said to a message that was written is stored. */
  async answer(session: Session, message: Message, outcome: SendOutcome): Promise<void> {
    const messageId = message.id;
    switch (outcome.kind) {
      case 'accepted': {
        const { reference, ...answer } = outcome;
        const event: Event = { ...answer, messageId };
        this.#putOff.forget(messageId);
        if (reference === null) return this.#store(session, event, this.#nameless(session, message));
        const filed = { messageId, operator: referenceSpaceOf(message), reference };
        // Before the answer is stored, so that a receipt that comes right behind it finds its message and waits in line.
        this.#references.rememberFiled(session, filed);
        await this.#store(session, event, { reference: filed, patient: true });
        this.#expect(session, messageId, filed);
        return;
      }
      case 'rejected':
      case 'sender_refused':
        return this.#store(session, { ...outcome, messageId });
      case 'unknown':
        return this.#store(session, { ...outcome, messageId }, this.#nameless(session, message));
      case 'not_sent':
        return this.notSent(session, message, outcome.busy);
    }
  }

  /** Certainly not taken: it goes back into the line, if this process still holds its session. `busy`: the carrier puts it off. */
  notSent(session: Session, { id: messageId, refusals }: Message, busy?: string): Promise<void> {
    const { processId: holder } = this.#context.fleet;
    if (busy !== undefined) this.#putOff.add(messageId, refusals + 1);
    const event: Event = { kind: 'not_sent', messageId, holder, ...(busy === undefined ? {} : { busy }) };
    return this.#store(session, event, { onlyIfHeld: true });
  }

  /** Marked by this process and certainly not written, also where another one holds the session by now. */
  notBegun(session: Session, { id: messageId }: Message): Promise<void> {
    return this.#store(session, { kind: 'not_sent', messageId, holder: this.#context.fleet.processId });
  }

  /** A call was filed before it was made, and its receipts always name it. */
  #nameless(session: Session, message: Message): ApplyOptions {
    return isCallOf(this.#context.channels.ofMessage(session, message), message) ? {} : nameless(session, message);
  }

  /** Called once the answer is stored: receipts that came before it can be taken in now, with the price that the answer brought. */
  #expect({ id }: Session, messageId: string, { operator, reference }: Filed): void {
    const line =
      'a receipt that came before its answer could not be taken in: it stays parked, and a sweep takes it in';
    const failed = (err: unknown) => this.#context.log.error({ err, session_id: id, message_id: messageId }, line);
    this.#receipts.takeEarly(operator, reference).catch(failed);
  }

  /** A carrier answers once, so the answer is kept until the database takes it. */
  async #store(session: Session, event: Event, options?: ApplyOptions): Promise<void> {
    const messageId = 'messageId' in event ? event.messageId : '';
    const line = "the carrier's answer could not be stored: it is tried again, look at the database for the cause";
    const failed = (err: unknown) =>
      this.#context.log.error({ err, session_id: session.id, message_id: messageId }, line);
    await untilStored(() => this.#sessions.apply(session, event, options), failed);
  }
}
