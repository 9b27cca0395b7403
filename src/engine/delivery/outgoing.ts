// A message on its way out: how it is made, and what it is filed under for the receipts that will come.

import type { OutgoingMessage } from '../../channels/channel.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { carrierOf, echoedReference, type Message, type Session } from '../../core/verify/session.ts';
import { numberReference } from '../../db/receipts/references.ts';
import { codeOf } from '../sessions/code.ts';
import type { ApplyOptions } from '../sessions/session-line.ts';

/** The message with its code, made at the last moment and kept nowhere. */
export function compose(session: Session, message: Message, ring: KeyRing): OutgoingMessage {
  const { accountId, mode, to, language, autofill, expiresAt } = session;
  return {
    id: message.id,
    sessionId: session.id,
    accountId,
    mode,
    channel: message.channel,
    route: message.route,
    to,
    senderId: message.senderId,
    language,
    autofill,
    expiresAt,
    code: codeOf(session, ring),
  };
}

/** Whether the message is on record as on the wire. */
export const isSubmitting = ({ messages }: Session, { id }: Message): boolean =>
  messages.some((message) => message.id === id && message.status === 'submitting');

/** Files a message whose carrier's id is not known under its phone. */
export function nameless(session: Session, message: Message): ApplyOptions {
  return { reference: { messageId: message.id, operator: carrierOf(message), reference: numberReference(session.to) } };
}

/** Files a message under our own id, for carriers that bring it back: then not even a lost answer loses its receipts. */
export function ownReference(message: Message): ApplyOptions {
  const reference = echoedReference(message.route, message.id);
  return { reference: { messageId: message.id, operator: carrierOf(message), reference } };
}
