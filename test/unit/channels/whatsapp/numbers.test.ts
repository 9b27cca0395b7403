// Several numbers at once: what one of them has to wait for keeps no other waiting.
import { expect, it, onTestFinished } from 'vitest';
import { WhatsAppChannel } from '../../../../src/channels/whatsapp/whatsapp.ts';
import { account } from './support.ts';

it("a business's own number has places and a rate of its own", async () => {
  const platform = account({ ratePerSecond: 1 });
  const own = account({ phoneNumberId: '300003', ownerName: 'Shop', billedBy: 'platform', ratePerSecond: 20 });
  const channel = new WhatsAppChannel({
    accountsFor: () => [own, platform],
    accountOf: (id) => [own, platform].find(({ phoneNumberId }) => phoneNumberId === id) ?? null,
    platform: () => platform,
    billingOf: () => null,
    platformName: () => 'Ramz',
    onTokenRefused: () => {},
    onAccountChange: async () => {},
    intake: {} as never,
    now: () => 1_767_300_000_000, // Time stands still: no token comes back.
    observer: {},
  });
  onTestFinished(() => channel.close());
  const waiting = new AbortController();
  expect(await channel.reserve('whatsapp/106540352242922', waiting.signal)).not.toBeNull();
  const second = channel.reserve('whatsapp/106540352242922', waiting.signal);
  const places = [];
  for (let n = 0; n < 2; n += 1) places.push(await channel.reserve('whatsapp/300003', waiting.signal));
  expect(places).not.toContain(null);
  expect([channel.ratePerSecond('whatsapp/106540352242922'), channel.ratePerSecond('whatsapp/300003')]).toEqual([
    1, 20,
  ]);
  waiting.abort();
  expect(await second).toBeNull();
});
