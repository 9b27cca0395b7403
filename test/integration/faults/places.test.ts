// Places on the wire that are asked for at once, and given back: at the channel, over a real socket.
import { expect, test } from 'vitest';
import { faulty } from './operator.ts';

const { signal } = new AbortController();
const route = 'sms/atlas';

test('without a bind there is none; with one there is, as far as the rate goes; what is given back is there again', async () => {
  const { channel, bound, send } = await faulty({ operator: { rate_per_second: 0.01 } });
  expect(channel.reserveNow(route, signal)).toBeNull();
  expect(channel.reserveNow('sms/nobody', signal)).toBeNull();
  await bound();
  const place = channel.reserveNow(route, signal);
  expect(place).not.toBeNull();
  expect(channel.reserveNow(route, signal)).toBeNull();
  place?.release();
  expect(await send()).toMatchObject({ kind: 'accepted' });
  expect(channel.reserveNow(route, signal)).toBeNull();
});
