import { expect, test } from 'vitest';
import { within } from '../../../src/time/alarm.ts';

test('what is not answered is late', async () => {
  await expect(within(new Promise(() => {}), 1, 'nobody there')).rejects.toThrow('nobody there');
  await expect(within(Promise.reject(new Error('its own')), 1_000, 'nobody there')).rejects.toThrow('its own');
  expect(await within(Promise.resolve(7), 1_000, 'nobody there')).toBe(7);
});
