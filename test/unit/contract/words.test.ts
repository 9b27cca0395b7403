// The words of core and the words of the contract are the same: a word added to one and not to the other does not compile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import type { GuardRule } from '../../../src/core/limits/verdict.ts';
import type { BilledBy, Cost } from '../../../src/core/money/cost.ts';
import type { CallState } from '../../../src/core/verify/call.ts';
import type { CheckReason, SessionEventType } from '../../../src/core/verify/event.ts';
import type * as core from '../../../src/core/verify/session.ts';
import type { WabaReason, WabaStatus, WabaStep, WabaTemplateStatus } from '../../../src/core/waba/link.ts';
import type * as contract from '../../../src/gen/values.ts';
import { skipReasonValues } from '../../../src/gen/values.ts';
import { SRC, sourceFiles } from '../house/imports.ts';

test('core and contract know the same words', () => {
  expectTypeOf<core.Channel>().toEqualTypeOf<contract.Channel>();
  expectTypeOf<core.Language>().toEqualTypeOf<contract.Language>();
  expectTypeOf<core.SessionStatus>().toEqualTypeOf<contract.SessionStatus>();
  expectTypeOf<core.StatusReason>().toEqualTypeOf<contract.StatusReason>();
  expectTypeOf<core.Delivery>().toEqualTypeOf<contract.DeliveryStatus>();
  expectTypeOf<core.MessageStatus>().toEqualTypeOf<contract.MessageStatus>();
  expectTypeOf<core.MessageReason>().toEqualTypeOf<contract.MessageReason>();
  expectTypeOf<core.SkipReason>().toEqualTypeOf<contract.SkipReason>();
  expectTypeOf<core.ReceiptStatus>().toEqualTypeOf<contract.ReceiptStatus>();
  expectTypeOf<core.TimelineKind>().toEqualTypeOf<contract.TimelineKind>();
  expectTypeOf<GuardRule>().toEqualTypeOf<contract.Rule>();
  expectTypeOf<CallState>().toEqualTypeOf<contract.CallState>();
  expectTypeOf<CheckReason>().toEqualTypeOf<contract.CheckReason>();
  expectTypeOf<Cost['source']>().toEqualTypeOf<contract.CostSource>();
  expectTypeOf<BilledBy>().toEqualTypeOf<contract.BilledBy>();
  expectTypeOf<WabaStatus>().toEqualTypeOf<contract.WabaStatus>();
  expectTypeOf<WabaStep>().toEqualTypeOf<contract.WabaStep>();
  expectTypeOf<WabaReason>().toEqualTypeOf<contract.WabaReason>();
  expectTypeOf<WabaTemplateStatus>().toEqualTypeOf<contract.WabaTemplateStatus>();
  expectTypeOf<SessionEventType>().toExtend<contract.EventType>();
});

const texts = sourceFiles().map((path) => readFileSync(join(SRC, path), 'utf8'));

test.each(skipReasonValues)('a leg is skipped somewhere for %s', (reason) => {
  // As a value: types and tables of words name it, too.
  const given = new RegExp(`(?:reason: |return |\\? )'${reason}'`);
  expect(texts.some((text) => given.test(text))).toBe(true);
});
