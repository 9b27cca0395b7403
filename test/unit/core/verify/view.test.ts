// The carrier that a message and its receipts show.
import { expect, test } from 'vitest';
import type { StoredReceipt } from '../../../../src/core/verify/session.ts';
import { messageView, receiptView } from '../../../../src/core/verify/view.ts';
import { callReport, Story } from '../../../support/session.ts';

const { session, last } = new Story().accept();

test.each([
  ['an SMS: its operator', { channel: 'sms', operator: 'atlas', call: null }, 'atlas', 'atlas'],
  ['a message on WhatsApp: the platform', { channel: 'whatsapp', operator: null, call: null }, '', 'whatsapp'],
  ['a call: its trunk', { channel: 'voice', operator: null, call: callReport({ trunk: 'line-2' }) }, '', 'line-2'],
  ['a call that has no trunk yet: nothing', { channel: 'voice', operator: null, call: null }, '', ''],
] as const)('%s', (_, of, operator, carrier) => {
  expect(messageView({ ...last, ...of })).toMatchObject({ operator, carrier });
  const receipt = { ...(session.messages[0] as object), ...of } as unknown as StoredReceipt;
  expect(receiptView(session, receipt)).toMatchObject({ operator, carrier });
});
