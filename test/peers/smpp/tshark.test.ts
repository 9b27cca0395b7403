// Wireshark's dissector reads what passed between our client and the sandbox's SMSCs: no PDU is malformed, and the fields
// are what was meant.
import { expect } from 'vitest';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { type SandboxOperatorId, sandboxOperators, sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { startSmsc } from '../../../src/sandbox/smsc/smsc.ts';
import { Bind } from '../../../src/smpp/index.ts';
import { requireTool } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { CODE, operatorConfig, testChannel } from '../support/channel.ts';
import { type Dissected, dissect } from '../support/dissect.ts';
import { type Passed, proxyTo } from '../support/proxy.ts';

const test = requireTool('tshark', 'text2pcap');
const numbers = { atlas: '+213551234567', sahara: '+213661234567', djurdjura: '+213771234567' };

/** Two messages, French and Arabic, with their receipts, an enquire_link each way, and the goodbye. */
async function traffic(id: SandboxOperatorId): Promise<Passed[]> {
  const smsc = await startSmsc({
    profile: sandboxProfiles[id],
    inbox: new Inbox(),
    deliverDelayMs: 2,
    enquireLinkMs: 500,
  });
  try {
    const proxy = await proxyTo(smsc.port);
    const ports = { atlas: proxy.port, sahara: proxy.port, djurdjura: proxy.port };
    const settings = sandboxOperators(ports).find((operator) => operator.id === id)!;
    const binds = (settings.binds as object[]).map((bind) => ({ ...bind, count: 1 }));
    const { channel, send, bound, receipts } = testChannel(operatorConfig({ ...settings, binds }));
    await bound();
    expect((await send({ route: `sms/${id}`, to: numbers[id] }))?.kind).toBe('accepted');
    expect((await send({ route: `sms/${id}`, to: numbers[id], language: 'ar' }))?.kind).toBe('accepted');
    await until(() => receipts.length === 2, { what: 'both receipts' });
    const has = (command: number) => proxy.passed.some(({ frame }) => frame.readUInt32BE(4) === command);
    await until(() => has(0x80000015), { what: 'an enquire_link answered by us' });
    await channel.close();
    await until(() => has(0x80000006), { what: 'the answer to unbind' });
    return proxy.passed;
  } finally {
    await smsc.stop();
  }
}

const one = (pdus: Dissected[], command: string, nth = 0): Dissected => {
  const found = pdus.filter((pdu) => pdu.command === command)[nth];
  if (!found) throw new Error(`no ${command} among ${pdus.map((pdu) => pdu.command).join()}`);
  return found;
};

for (const id of ['atlas', 'sahara', 'djurdjura'] as const) {
  test(`${id}: bind, messages, receipts, goodbye`, async () => {
    const passed = await traffic(id);
    const pdus = await dissect(passed);
    expect(pdus).toHaveLength(passed.length);
    expect(pdus.filter(({ malformed }) => malformed)).toEqual([]);
    expect(pdus.map(({ length }) => length)).toEqual(passed.map(({ frame }) => frame.length));

    const { systemId, password } = sandboxProfiles[id];
    const bindNames = id === 'sahara' ? ['bind_transmitter', 'bind_receiver'] : ['bind_transceiver'];
    for (const name of bindNames) {
      expect(one(pdus, name)).toMatchObject({
        from: 'esme',
        system_id: systemId,
        password,
        interface_version: String(0x34),
      });
      expect(one(pdus, `${name}_resp`)).toMatchObject({ from: 'smsc', status: 0 });
    }
    const submit = one(pdus, 'submit_sm');
    expect(submit).toMatchObject({
      from: 'esme',
      source_ton: '5',
      source_npi: '0',
      source: 'Ramz',
      dest_ton: '1',
      dest_npi: '1',
      destination: numbers[id].slice(1),
      messaging_mode: '0',
      registered_delivery: '1',
      data_coding: '0',
    });
    expect(Buffer.from(submit.message, 'hex').toString('latin1')).toContain(CODE);
    // Wireshark reads the validity period itself: a span, or a moment.
    const within = id === 'djurdjura' ? submit.validity_absolute : submit.validity_relative;
    expect(within).not.toBe('');
    const arabic = one(pdus, 'submit_sm', 1);
    expect(arabic.data_coding).toBe('8');
    expect(Buffer.from(arabic.message, 'hex').swap16().toString('utf16le')).toMatch(
      new RegExp(`[\u0600-\u06ff].*${CODE}`, 's'),
    );

    for (const answer of pdus.filter(({ command, from }) => command.endsWith('_resp') && from === 'esme')) {
      expect(answer.status).toBe(0);
      const asked = pdus.some(
        ({ from, command, sequence }) =>
          from === 'smsc' && `${command}_resp` === answer.command && sequence === answer.sequence,
      );
      expect([answer.command, answer.sequence, asked]).toEqual([answer.command, answer.sequence, true]);
    }
    const answered = pdus.filter(({ command, from }) => from === 'esme' && /^(deliver|data)_sm_resp$/.test(command));
    expect(answered).toHaveLength(2);
    expect(one(pdus, 'unbind').from).toBe('esme');
  });
}

test('what only the library asks: enquire_link, optional parameters, generic_nack', async () => {
  const smsc = await startSmsc({ profile: sandboxProfiles.atlas, inbox: new Inbox() });
  try {
    const proxy = await proxyTo(smsc.port);
    const { systemId, password } = sandboxProfiles.atlas;
    const bind = new Bind({
      host: '127.0.0.1',
      port: proxy.port,
      systemId,
      password,
      type: 'transceiver',
      enquireLinkIdleMs: 20,
      onDeliver: async () => ({ status: 0 }),
    });
    bind.start();
    await until(() => bind.open, { what: 'the bind' });
    await bind.submit({
      command: 'submit_sm',
      source_addr_ton: 5,
      source_addr: 'Ramz',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '213551234567',
      tlvs: [
        { tag: 0x0204, value: Buffer.from([1, 2]) },
        { tag: 0x0424, value: Buffer.from(`Code ${CODE}`.repeat(30)) },
        { tag: 0x1401, value: Buffer.from('vendor') },
      ],
    });
    smsc.sendRaw(Buffer.from('0000001000000fff0000000000000077', 'hex')); // A command that nobody knows.
    const has = (command: number) =>
      proxy.passed.some(({ frame, from }) => from === 'esme' && frame.readUInt32BE(4) === command);
    await until(() => has(0x80000000) && has(0x15), { what: 'both' });
    await bind.close();
    const pdus = (await dissect(proxy.passed)).filter(({ from }) => from === 'esme');
    expect(pdus.filter(({ malformed }) => malformed)).toEqual([]);
    expect(one(pdus, 'generic_nack')).toMatchObject({ status: 3, sequence: 0x77 });
    expect(one(pdus, 'enquire_link')).toMatchObject({ length: 16, status: 0 });
    const submit = one(pdus, 'submit_sm');
    expect(submit.tlvs.split(',').map((tag) => Number(tag))).toEqual([0x0204, 0x0424, 0x1401]);
    expect(submit.length).toBe(proxy.passed.find(({ frame }) => frame.readUInt32BE(4) === 4)?.frame.length);
  } finally {
    await smsc.stop();
  }
});

test('the dissector does notice: a submit_sm whose short_message is cut off is malformed', async () => {
  const frame = Buffer.from('0000001e0000000400000000000000010005005200010132000000000000', 'hex');
  const [pdu] = await dissect([{ connection: 0, from: 'esme', frame }]);
  expect(pdu?.malformed).toBe(true);
});
