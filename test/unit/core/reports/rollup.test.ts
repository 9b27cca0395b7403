// The message that a session counts at in reports.
import { expect, test } from 'vitest';
import { countedAt } from '../../../../src/core/reports/rollup.ts';
import { Story, wholeCascade } from '../../../support/session.ts';

const at = ({ session }: Story) => {
  const message = countedAt(session);
  return message && `${message.channel} ${message.attempt}`;
};

test('the last that was sent, whatever was planned behind it', () => {
  const story = new Story();
  expect(at(story)).toBe('sms 1');
  story.accept();
  story.deadlineAt(15_000);
  expect(at(story)).toBe('sms 1');
  story.accept();
  expect(at(story)).toBe('whatsapp 1');
});

test('the second message of a leg in doubt, which goes out behind all other legs', () => {
  const story = new Story({ request: { cascade: wholeCascade.slice(0, 2) } });
  story.do({ kind: 'submitting', messageId: 'msg_1', holder: 'prc_1' });
  story.do({ kind: 'unknown', messageId: 'msg_1', reason: 'timeout' });
  story.deadlineAt(3_000);
  story.accept();
  expect(at(story)).toBe('whatsapp 1');
  story.deadlineAt(18_000);
  story.accept();
  story.receipt('DELIVRD');
  story.do({ kind: 'check', correct: true });
  expect(at(story)).toBe('sms 2');
});
