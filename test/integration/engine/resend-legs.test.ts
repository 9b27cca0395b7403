// A second send goes by the legs of the pending session, whatever a new session would begin with.
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/core/verify/event.ts';
import type { Leg } from '../../../src/core/verify/session.ts';
import { testDatabase } from '../../support/database.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testDatabase();

/** Ten messages a second, and none of them gets a place. */
class SlowChannel extends ScriptedChannel {
  override ratePerSecond(): never {
    return 10 as never;
  }
  override reserve(): Promise<null> {
    return new Promise(() => {});
  }
}

class DownChannel extends ScriptedChannel {
  isDown = false;
  override plan(request: Parameters<ScriptedChannel['plan']>[0]): Plan {
    return this.isDown ? { kind: 'skip', reason: 'operator_down' } : super.plan(request);
  }
}

async function shop<Sms extends ScriptedChannel, App extends ScriptedChannel>(sms: Sms, whatsapp: App) {
  const clock = { now: Date.now() };
  const { engine } = await testEngine(database, { sms, whatsapp, now: () => clock.now });
  /** Sixty messages in the channel's queue: six seconds. */
  const fill = async (channel: Leg['channel']) => {
    for (let n = 0; n < 60; n += 1) {
      const { kind } = await engine.starter.sendSettled(sendRequest({ cascade: [{ channel, timeoutMs: 600_000 }] }));
      expect(kind).toBe('sent');
    }
  };
  return { engine, clock, fill, send: engine.starter.sendSettled.bind(engine.starter) };
}

test('by the next leg, however long the queue of the first one is', async () => {
  const { clock, fill, send } = await shop(new SlowChannel(), new ScriptedChannel('whatsapp'));
  const request = sendRequest({
    cascade: [
      { channel: 'sms', timeoutMs: 5_000 },
      { channel: 'whatsapp', timeoutMs: 15_000 },
    ],
  });
  expect(await send(request)).toMatchObject({ kind: 'sent' });
  await fill('sms');
  clock.now += 31_000;
  expect(await send(sendRequest({ cascade: request.cascade }))).toMatchObject({ kind: 'overloaded' });
  const again = await send(request);
  expect(again).toMatchObject({ kind: 'sent', session: { run: 2, sends: 2 } });
  if (again.kind === 'sent') expect(again.session.messages.at(-1)?.channel).toBe('whatsapp');
});

test('and is refused where it would wait longer for that leg than the leg lasts: nothing is stored', async () => {
  const { engine, clock, fill, send } = await shop(new ScriptedChannel(), new SlowChannel('whatsapp'));
  const request = sendRequest({
    cascade: [
      { channel: 'sms', timeoutMs: 60_000 },
      { channel: 'whatsapp', timeoutMs: 5_000 },
    ],
  });
  const first = await send(request);
  await engine.dispatcher.idle();
  await fill('whatsapp');
  clock.now += 31_000;
  expect(await send(request)).toMatchObject({ kind: 'overloaded', retryAfterMs: 1_000 });
  if (first.kind !== 'sent') throw new Error(first.kind);
  const stored = await engine.store.load({ accountId: request.accountId, id: first.session.id });
  expect(stored?.session).toMatchObject({ run: 1, sends: 1 });
});

test('by its own cascade, where that of its account has no leg', async () => {
  const sms = new DownChannel();
  const { clock, send } = await shop(sms, new ScriptedChannel('whatsapp'));
  const request = sendRequest({ cascade: [{ channel: 'whatsapp', timeoutMs: 60_000 }] });
  expect(await send(request)).toMatchObject({ kind: 'sent' });
  clock.now += 31_000;
  sms.isDown = true;
  const usual: Leg[] = [{ channel: 'sms', timeoutMs: 15_000 }];
  expect(await send(sendRequest({ cascade: usual }))).toMatchObject({ kind: 'no_route' });
  expect(await send({ ...request, cascade: usual })).toMatchObject({ kind: 'sent', session: { run: 2 } });
});
