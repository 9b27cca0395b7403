import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pdu } from '../../../../src/sandbox/smsc/codec.ts';
import { Delivery, type DeliveryOptions, type Receiver } from '../../../../src/sandbox/smsc/delivery.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const SYSTEM = 'ramz';
const WINDOW = 3;

class FakeBind implements Receiver {
  readonly open = new Map<number, unknown>();
  readonly got: unknown[] = [];
  #sequence = 0;
  request(_command: string, fields: Record<string, unknown>): number {
    this.#sequence += 1;
    this.open.set(this.#sequence, fields.short_message);
    this.got.push(fields.short_message);
    return this.#sequence;
  }
  answerOldest(delivery: Delivery, command_status: number): void {
    for (const sequence_number of this.open.keys()) {
      this.open.delete(sequence_number);
      delivery.answer(this, { sequence_number, command_status } as Pdu);
      return;
    }
  }
}

function start(options: Partial<DeliveryOptions> = {}) {
  const clock = new ManualClock();
  const delivery = new Delivery({
    clock,
    window: WINDOW,
    answerTimeoutMs: 1_000,
    retryMs: 10,
    maxAttempts: Number.POSITIVE_INFINITY,
    maxWaiting: 1_000,
    ...options,
  });
  const add = (text: string) =>
    delivery.add({ systemId: SYSTEM, command: 'deliver_sm', fields: { short_message: text }, attempts: 0 });
  return { clock, delivery, add };
}

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'add' as const }) },
  fc.constant({ kind: 'attach' as const }),
  fc.record({ kind: fc.constant('detach' as const), which: fc.nat(5) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(5), ok: fc.boolean() }) },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(5, 20, 1_500) }),
);

test('whatever binds come, go, answer or stay silent: nothing is lost, no bind has more than its window', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const { clock, delivery, add } = start();
      const all: FakeBind[] = [];
      let binds: FakeBind[] = [];
      let added = 0;
      const attach = () => {
        const bind = new FakeBind();
        all.push(bind);
        binds.push(bind);
        delivery.attach(bind, SYSTEM);
        return bind;
      };
      for (const op of operations) {
        const bind = 'which' in op ? binds[op.which % Math.max(1, binds.length)] : undefined;
        if (op.kind === 'add') add(String(added++));
        if (op.kind === 'attach') attach();
        if (op.kind === 'answer') bind?.answerOldest(delivery, op.ok ? 0 : 0x08);
        if (op.kind === 'wait') clock.advance(op.ms);
        if (op.kind === 'detach' && bind) {
          binds = binds.filter((other) => other !== bind);
          delivery.detach(bind, SYSTEM);
        }
        delivery.flush();
      }
      for (const bind of binds) delivery.detach(bind, SYSTEM);
      const last = attach();
      for (let turn = 0; turn < 200 && delivery.pending + added > delivery.answered; turn += 1) {
        delivery.flush();
        expect(last.open.size).toBeLessThanOrEqual(WINDOW);
        last.answerOldest(delivery, 0);
        clock.advance(20);
      }
      expect(new Set(all.flatMap(({ got }) => got)).size).toBe(added);
      expect([delivery.answered, delivery.pending, delivery.givenUp]).toEqual([added, 0, 0]);
      delivery.stop();
    }),
    { numRuns: 200 },
  );
});

test('gives up what is refused too often, and the oldest of too many', () => {
  const { clock, delivery, add } = start({ maxAttempts: 2, maxWaiting: 2 });
  for (const text of ['a', 'b', 'c']) add(text);
  expect(delivery.givenUp).toBe(1);
  const bind = new FakeBind();
  delivery.attach(bind, SYSTEM);
  delivery.flush();
  expect(bind.got).toEqual(['b', 'c']);
  bind.answerOldest(delivery, 0x08);
  clock.advance(10);
  delivery.flush();
  expect(bind.got).toEqual(['b', 'c', 'b']);
  bind.answerOldest(delivery, 0);
  bind.answerOldest(delivery, 0x08);
  clock.advance(10);
  delivery.flush();
  expect(bind.got).toHaveLength(3);
  expect(delivery.givenUp).toBe(2);
  delivery.stop();
});
