// A message at WhatsApp that nobody reports to be delivered. The platform drops it when the template's time to live ends, and says
// nothing of it: its end is ours to note, or its cost would never be final. A status that comes later still corrects it.

import { costAtReceipt } from '../money/cost.ts';
import { isCurrentLeg, moveOn } from './cascade.ts';
import { type Draft, emit, note, patchMessage, undeliveredUntil } from './draft.ts';
import type { Message } from './session.ts';

/** Ends those whose time is over, of a session that is over, too; false where there are none. */
export function endUndelivered(draft: Draft): boolean {
  const { world } = draft;
  const over = draft.session.messages.filter((message) => world.now >= undeliveredUntil(message, world.rules));
  for (const message of over) end(draft, message);
  return over.length > 0;
}

function end(draft: Draft, message: Message): void {
  const { run, position, channel, id } = message;
  const reason = 'not_delivered_in_time';
  const wasCurrent = isCurrentLeg(draft.session, message);
  const { cost: current, tariff, parts } = message;
  const cost = costAtReceipt({ current, tariff, parts: parts ?? 1, delivered: false, final: true });
  patchMessage(draft, id, { status: 'expired', reason, finalAt: draft.world.now, cost });
  note(draft, { kind: 'message_failed', run, position, channel, messageId: id, reason });
  emit(draft, 'message.failed', { messageId: id });
  if (wasCurrent) moveOn(draft);
}
