// One call by SIP, where its parts fail it: what was taken for it is given back.
import { expect, it } from 'vitest';
import { SipCall } from '../../../../src/channels/voice/sip-call.ts';
import { trunkConfig } from './support.ts';

const silent = { connect: () => {}, say: () => {}, finishPhrase: () => {} };
const listener = { rang: () => {}, answered: () => {}, heard: () => {}, ended: () => {} };

const callOver = (open: () => Promise<{ port: number } | null>, call: () => never) => {
  const given: string[] = [];
  const made = new SipCall({
    request: {
      id: 'msg_1',
      attempt: 1,
      trunk: 'main',
      to: '+213550000001',
      script: { language: 'fr', code: '407218', requireKey: true },
    },
    trunk: trunkConfig(),
    endpoint: { call },
    media: { ...silent, open, close: () => void given.push('ports') },
    advertise: null,
    listener,
    now: () => 0,
    onOver: () => void given.push('line'),
  });
  return { made, given };
};

const fault = (): never => {
  throw new Error('a fault');
};

it.each([
  ['its sound', async () => fault(), fault],
  ['its signalling', async () => ({ port: 40_000 }), fault],
])('a call that %s has a fault in gives back its ports and its line, once', async (_, open, call) => {
  const { made, given } = callOver(open, call);
  await expect(made.place(true)).rejects.toThrow('a fault');
  expect(given).toEqual(['ports', 'line']);
});
