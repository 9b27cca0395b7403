import { expect, it } from 'vitest';
import type { CarrierState, Channel } from '../../../src/channels/channel.ts';
import { Channels } from '../../../src/engine/delivery/channels.ts';
import { plainAccount } from '../../support/account.ts';

const channel = (carriers?: () => CarrierState[]) => ({ carriers }) as unknown as Channel;

it('says of each channel and carrier whether its legs are taken, and why not', () => {
  const channels = new Channels();
  const states = (account = {}) =>
    channels
      .states('live', { ...plainAccount, ...account }, 'fr')
      .map((state) => `${state.channel} ${state.carrier} ${state.reason ?? 'usable'}`);
  const none = ['sms  channel_not_configured', 'whatsapp  channel_not_configured', 'voice  channel_not_configured'];
  expect(states()).toEqual(none);
  channels.setLive(
    'sms',
    channel(() => []),
  );
  expect(states()).toEqual(none);
  channels.setLive(
    'sms',
    channel(() => [
      { carrier: 'atlas', reason: null },
      { carrier: 'sahara', reason: 'operator_down' },
    ]),
  );
  channels.setLive(
    'whatsapp',
    channel(() => [{ carrier: '', reason: null }]),
  );
  channels.setLive('voice', channel());
  const sms = ['sms atlas usable', 'sms sahara operator_down'];
  expect(states()).toEqual([...sms, 'whatsapp  usable', 'voice  usable']);
  expect(states({ inCountryOnly: true })).toEqual([...sms, 'whatsapp  in_country_only', 'voice  usable']);
});

it('takes the channel of test keys for every channel of test mode', () => {
  const channels = new Channels();
  channels.setTest(channel());
  const usable = (inCountryOnly: boolean) =>
    channels.states('test', { ...plainAccount, inCountryOnly }, 'ar').map(({ reason }) => reason);
  expect(usable(false)).toEqual([null, null, null]);
  expect(usable(true)).toEqual([null, 'in_country_only', null]);
});
