// A business's own number beside the deployment's, on real sockets: which one a message goes out from, and what is said of it.
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { CarrierReceipt, PlanRequest } from '../../../src/channels/channel.ts';
import type { AppAccount } from '../../../src/channels/whatsapp/account.ts';
import { WhatsAppChannel } from '../../../src/channels/whatsapp/whatsapp.ts';
import { callbackBody, graphServer, refuse } from '../../support/graph.ts';
import { account, message } from '../../unit/channels/whatsapp/support.ts';

const graph = await graphServer();
const made: WhatsAppChannel[] = [];
afterAll(() => Promise.all(made.map((channel) => channel.close())));

const platform = account({ phoneNumberId: '100001', graphUrl: graph.url });
const own = account({
  phoneNumberId: '200002',
  graphUrl: graph.url,
  accessToken: 'EAAB-own',
  ownerName: 'Shop',
  billedBy: 'platform',
});
const [ownRoute, platformRoute] = ['whatsapp/200002', 'whatsapp/100001'];
let linked: AppAccount | null;
let refusedTokens: [string, string][];
let receipts: CarrierReceipt[];
let channel: WhatsAppChannel;

beforeEach(() => {
  [linked, refusedTokens, receipts] = [own, [], []];
  graph.requests.length = 0;
  channel = new WhatsAppChannel({
    accountsFor: () => [linked, platform].filter((each) => each !== null),
    accountOf: (id) => [linked, platform].find((each) => each?.phoneNumberId === id) ?? null,
    platform: () => platform,
    billingOf: (id) => [own, platform].find((each) => each.phoneNumberId === id) ?? null,
    platformName: () => 'Ramz',
    onTokenRefused: (id, code) => {
      refusedTokens.push([id, code]);
      linked = null;
    },
    onAccountChange: async () => {},
    intake: {
      take: async (receipt) => void receipts.push(receipt),
      takeKnown: async (receipt) => receipts.push(receipt) > 0,
      takeUnreadable: async () => {},
      takeLateAnswer: async () => {},
      takeAnswered: async () => {},
    },
    now: Date.now,
    observer: {},
  });
  made.push(channel);
});

const plan = () => channel.plan({ mode: 'live', channel: 'whatsapp', language: 'fr' } as PlanRequest);
async function send(route: string) {
  const place = await channel.reserve(route, new AbortController().signal);
  if (!place) throw new Error('no place');
  return place.send(message({ route }));
}
const paths = () => graph.requests.map(({ path, headers }) => `${path} ${headers.authorization}`);
const elsewhere = (errorCode: string | null) => ({
  kind: 'sender_refused',
  fallback: 'Ramz',
  errorCode,
  route: platformRoute,
});

test('the own number first, with its own token; its name is the sender', async () => {
  expect(plan()).toEqual({ kind: 'usable', route: ownRoute, operator: null, senderId: 'Shop' });
  expect(await send(ownRoute)).toMatchObject({ kind: 'accepted', tariff: { billedBy: 'platform' } });
  expect(paths()).toEqual(['/200002/messages Bearer EAAB-own']);
  expect(refusedTokens).toEqual([]);
});

test('its token is refused: told once for each, and the message goes to the other number', async () => {
  graph.answerNext(refuse(190, 401));
  expect(await send(ownRoute)).toEqual(elsewhere('190'));
  expect(refusedTokens).toEqual([['200002', '190']]);
  expect(plan()).toMatchObject({ route: platformRoute, senderId: null });
  expect(await send(platformRoute)).toMatchObject({ kind: 'accepted', tariff: { billedBy: 'service' } });
});

test('the deployment’s own token refused is nobody’s link', async () => {
  graph.answerNext(refuse(190, 401));
  expect(await send(platformRoute)).toMatchObject({ kind: 'rejected', reason: 'channel_down', errorCode: '190' });
  expect(refusedTokens).toEqual([]);
});

test('refused for a while: other messages begin at the other number', async () => {
  graph.answerNext(refuse(131042));
  expect(await send(ownRoute)).toEqual(elsewhere('131042'));
  expect(plan()).toMatchObject({ route: platformRoute });
  channel.configured(['100001']);
  expect(plan()).toMatchObject({ route: platformRoute });
  channel.configured(['200002']); // A new token, say.
  expect(plan()).toMatchObject({ route: ownRoute });
});

test('its account is refused in the phone’s country: the message goes to the other number, and others still begin at the own', async () => {
  graph.answerNext(refuse(130497, 403), refuse(130497, 403));
  expect(await send(ownRoute)).toEqual(elsewhere('130497'));
  expect(plan()).toMatchObject({ route: ownRoute });
  expect(await send(platformRoute)).toMatchObject({ kind: 'rejected', reason: 'submit_refused', errorCode: '130497' });
});

test('its account is in maintenance: the message goes to the other number after three tries', async () => {
  graph.answerNext(refuse(131057, 500), refuse(131057, 500), refuse(131057, 500));
  expect(await send(ownRoute)).toEqual(elsewhere('131057'));
  expect(graph.requests).toHaveLength(3);
});

describe('refused by a status, after it was taken', () => {
  const failed = (number: string, code: number) =>
    channel.takeCallback(callbackBody(number, { id: 'wamid.1', status: 'failed', more: { errors: [{ code }] } }));

  test.each([131042, 131031, 132015, 130497, 131057, 2494100])(
    '%i: the message may go once from the other number',
    async (code) => {
      await failed('200002', code);
      expect(receipts).toMatchObject([
        { receipt: { status: 'REJECTD', elsewhere: { route: platformRoute, senderId: 'Ramz' } } },
      ]);
    },
  );

  test('not where it is the phone or the platform itself, nor from the deployment’s own number, nor to one that is down', async () => {
    await failed('200002', 131026);
    await failed('200002', 131016);
    await failed('100001', 130497);
    await failed('100001', 131042);
    await failed('200002', 131042);
    expect(receipts.map(({ receipt: { status, elsewhere: other } }) => [status, other])).toEqual([
      ['UNDELIV', undefined],
      ['UNDELIV', undefined],
      ['UNDELIV', undefined],
      ['REJECTD', undefined],
      ['REJECTD', undefined],
    ]);
  });
});

test('what the phone is the reason of is no matter of the number', async () => {
  graph.answerNext(refuse(131026));
  expect(await send(ownRoute)).toMatchObject({ kind: 'rejected', reason: 'not_on_app' });
});

test('in doubt, nothing is sent a second time', async () => {
  graph.answerNext((response) => void response.destroy());
  expect(await send(ownRoute)).toMatchObject({ kind: 'unknown' });
  expect(graph.requests).toHaveLength(1);
});

test('unlinked since the leg began: not sent before it is on record whose number it is', async () => {
  linked = null;
  expect(channel.canSend(ownRoute)).toBe(true);
  expect(await send(ownRoute)).toEqual(elsewhere(null));
  expect(graph.requests).toEqual([]);
  expect(await send(platformRoute)).toMatchObject({ kind: 'accepted' });
});

test('both refused: it stays a refusal, and the leg is skipped', async () => {
  graph.answerNext(refuse(131031), refuse(131031));
  expect(await send(platformRoute)).toMatchObject({ kind: 'rejected' });
  expect(await send(ownRoute)).toMatchObject({ kind: 'rejected', reason: 'channel_down', errorCode: '131031' });
  expect(plan()).toEqual({ kind: 'skip', reason: 'channel_down' });
});
