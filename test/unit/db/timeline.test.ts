import { expect, it } from 'vitest';
import type { TimelineEntry } from '../../../src/core/verify/session.ts';
import { decodeTimeline, encodeTimeline } from '../../../src/db/verify/timeline.ts';
import { callReport } from '../../support/session.ts';

const entries: TimelineEntry[] = [
  { at: 1, kind: 'session_opened', run: 1, channel: 'sms' },
  { at: 2, kind: 'leg_started', run: 1, position: 0, channel: 'sms', messageId: 'msg_1', reason: 'r', detail: '' },
  { at: 3, kind: 'call_answered', run: 2, position: 1, channel: 'voice', messageId: 'msg_2', call: callReport() },
  { at: 4, kind: 'code_checked', run: 2, operation: 'o' },
];

it('reads back what it wrote, and adds nothing', () => {
  expect(decodeTimeline(JSON.parse(encodeTimeline(entries)))).toStrictEqual(entries);
});

it('is read by everything that was stored before: places are for good', () => {
  expect(encodeTimeline(entries.slice(0, 2))).toBe(
    '[[1,"session_opened",1,null,"sms"],[2,"leg_started",1,0,"sms","msg_1","r",""]]',
  );
});
