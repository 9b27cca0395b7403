// The calls that this process made and that are not over: stopped here when another process asks for it, and looked at again when such a
// request may have been lost.

import type { StopReason } from '../../core/verify/call.ts';
import { isCallInHand, stopReasonOf } from '../../core/verify/cascade.ts';
import type { Message, Session } from '../../core/verify/session.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import type { EngineContext } from '../context.ts';

export class OwnCalls {
  readonly #context: EngineContext;
  /** The session of each call, by message. */
  readonly #underWay = new Map<string, SessionKey>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** Does what other processes ask for, from now on. */
  listen(): void {
    const { events } = this.#context.peers;
    events.on('stop', ({ mode, channel, messageId, why }) => this.stop(mode, channel, messageId, why));
    events.on('listening', () => void this.#lookAgain());
  }

  /** Called with every change that is committed here. */
  follow({ accountId, id, messages }: Session): void {
    const self = this.#context.fleet.processId;
    for (const message of messages) {
      if (message.holder === self && isCallInHand(message)) this.#underWay.set(message.id, { accountId, id });
      else this.#underWay.delete(message.id);
    }
  }

  /** The end of one of them is on the record of another process: nothing that is committed here says so. */
  ended(messageId: string): void {
    this.#underWay.delete(messageId);
  }

  stop(mode: Session['mode'], channel: Message['channel'], messageId: string, why: StopReason): void {
    this.#context.channels.of(mode, channel)?.cancel?.(messageId, why);
  }

  /** Reads the session of every call, and stops what is no longer wanted. */
  async #lookAgain(): Promise<void> {
    const line = 'a call could not be looked at again: it ends by itself, look at the database for the cause';
    await Promise.all(
      [...this.#underWay].map(([messageId, key]) =>
        this.#look(messageId, key).catch((err: unknown) =>
          this.#context.log.error({ err, session_id: key.id, message_id: messageId }, line),
        ),
      ),
    );
  }

  async #look(messageId: string, key: SessionKey): Promise<void> {
    const session = (await this.#context.store.load(key))?.session;
    const message = session?.messages.find(({ id }) => id === messageId);
    if (!session || !message) return;
    const why = this.#reason(session, message);
    if (why) this.stop(session.mode, message.channel, messageId, why);
  }

  /** A call that another process has taken for lost is followed by another leg, or by nothing. */
  #reason(session: Session, message: Message): StopReason | null {
    if (message.holder === this.#context.fleet.processId) return stopReasonOf(session, message);
    return session.status === 'pending' ? 'leg_over' : 'session_over';
  }
}
