// A message and a number of the platform, for the tests of the WhatsApp channel.
import type { OutgoingMessage } from '../../../../src/channels/channel.ts';
import type { AppAccount } from '../../../../src/channels/whatsapp/account.ts';

export const account = (change: Partial<AppAccount> = {}): AppAccount => ({
  phoneNumberId: '106540352242922',
  graphUrl: 'https://graph.example/v25.0',
  accessToken: 'EAAB-token',
  template: { name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en_US' } },
  ratePerSecond: 1000,
  pairIntervalMs: 6_000,
  responseTimeoutMs: 10_000,
  tariff: [{ version: '1', validFrom: '2026-01-01T00:00:00Z', currency: 'DZD', amount: '1.20', charged: 'delivery' }],
  billedBy: 'service',
  ownerName: null,
  ...change,
});

export const ownId = 'msg_01m7z1kmtxegd8bek9y76ketsb';

export const message = (change: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: ownId,
  sessionId: 'vrf_1',
  accountId: 'acct_1',
  mode: 'live',
  channel: 'whatsapp',
  route: 'whatsapp/106540352242922',
  to: '+213550000099',
  senderId: null,
  language: 'en',
  code: '482913',
  autofill: {},
  wording: null,
  expiresAt: 600_000,
  ...change,
});

export const wamid = 'wamid.HBgLMjEzNTUwMDAwMDk5FQIAERgSQTEyMw==';
export const taken = (id = wamid) => ({
  messaging_product: 'whatsapp',
  contacts: [{ input: '213550000099', wa_id: '213550000099' }],
  messages: [{ id, message_status: 'accepted' }],
});
export const graphError = (code: number, more: object = {}) => ({
  error: { message: `(#${code}) to 213550000099`, type: 'OAuthException', code, fbtrace_id: 'Atrace', ...more },
});
