// The whole service with two operators whose SMSCs are Perl's Net::SMPP: from the client's send to the verified code.
import { afterAll, expect } from 'vitest';
import { standingAlone } from '../../support/checks.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';
import {
  credentials,
  type Habits,
  hasPerl,
  type PerlPdu,
  type PerlSmsc,
  startPerlSmsc,
  perlTest as test,
} from '../support/perl-smsc.ts';

const plain: Habits = { answer: 'hex', receipt: 'padded', carrier: 'text', early: false };
const early: Habits = { answer: 'decimal', receipt: 'hex', tlv: 'decimal', carrier: 'data_sm', early: true };

const world = hasPerl ? await start() : null;

async function start() {
  const smscs = { plain: await startPerlSmsc(plain), early: await startPerlSmsc(early) };
  afterAll(() => Promise.all(Object.values(smscs).map((smsc) => smsc.end())));
  const service = await testService({
    config: {
      operators: [
        operator('plain', '+21355', smscs.plain, 'answer_hex_receipt_decimal'),
        operator('early', '+21366', smscs.early, 'answer_decimal_receipt_hex'),
      ],
    },
  });
  return { smscs, service, server: await service.startHere() };
}

function operator(id: string, prefix: string, { port }: PerlSmsc, rule: string) {
  const { systemId: system_id, password } = credentials;
  return {
    id,
    name: id,
    prefixes: [prefix],
    rate_per_second: 100,
    time_zone: 'UTC',
    message_id: { rule },
    binds: [{ host: '127.0.0.1', port, system_id, password }],
    tariff: [
      { version: '1', valid_from: '2020-01-01T00:00:00Z', currency: 'DZD', amount: '2.50', charged: 'delivery' },
    ],
  };
}

/** The code as the phone's owner would read it. */
function codeIn({ short_message, data_coding }: PerlPdu): string {
  const octets = Buffer.from(String(short_message), 'hex');
  const text = data_coding === 8 ? octets.swap16().toString('utf16le') : octets.toString('latin1');
  const code = /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0];
  if (code === undefined) throw new Error(`no code in "${text}"`);
  return code;
}

for (const { name, to, language } of [
  { name: 'plain', to: '+213551234567', language: 'fr' },
  { name: 'early', to: '+213661234567', language: 'ar' },
] as const) {
  test(`${name}: sent, delivered, priced, told, verified`, async () => {
    const { smscs, service, server } = world!;
    const { id } = await server.live.send(to, { language, cascade: [{ channel: 'sms', timeout_seconds: 30 }] });
    const submit = await smscs[name].got('submit_sm');
    const session = await server.live.sessionWhen(id, 'delivered', ({ delivery }) => delivery === 'delivered');
    expect(session.messages).toMatchObject([
      { operator: name, status: 'delivered', cost: { amount: '2.50', currency: 'DZD', final: true } },
    ]);
    expect(session.messages[0]?.receipts).toMatchObject([{ status: 'DELIVRD' }]);
    expect(smscs[name].read('submit_sm')).toHaveLength(1);
    const answered = name === 'early' ? 'data_sm_resp' : 'deliver_sm_resp';
    expect((await smscs[name].got(answered)).status).toBe(0);

    const code = codeIn(submit);
    expect(JSON.stringify(session)).not.toMatch(standingAlone(code));
    expect(await server.live.check(id, code)).toMatchObject({ valid: true, status: 'verified' });
    const told = await until(
      async () => {
        const types = (await service.sandbox.eventsOf(id, 3)).map(({ type }) => type);
        return types.includes('session.verified') && types;
      },
      { what: 'the webhooks' },
    );
    expect(told.toSorted()).toEqual(['message.submitted', 'receipt.updated', 'session.verified']);
  });
}
