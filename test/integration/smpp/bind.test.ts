import smpp from 'smpp';
import { describe, expect, test } from 'vitest';
import { encodeText, type Incoming, readReceipt } from '../../../src/smpp/index.ts';
import { selfSigned } from '../../support/certificate.ts';
import { until } from '../../support/wait.ts';
import { bindTo, listen, rawServer } from './smsc.ts';

const submit = (to = '213550000001', text = 'Code 123456') =>
  ({
    command: 'submit_sm',
    source_addr_ton: 5,
    source_addr: 'Ramz',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: to,
    registered_delivery: 1,
    short_message: encodeText(text).octets,
  }) as const;

async function bound(...args: [change?: Parameters<typeof bindTo>[1]]) {
  const smsc = await listen();
  const all = { smsc, ...bindTo(smsc, ...args) };
  await all.reached('bound');
  return all;
}

describe('binding', () => {
  test('as a transceiver', async () => {
    const { smsc, bind } = await bound({ systemType: 'OTP' });
    expect(smsc.received).toMatchObject([
      {
        command: 'bind_transceiver',
        system_id: 'ramz',
        password: 'secret08',
        system_type: 'OTP',
        interface_version: 0x34,
      },
    ]);
    expect(await bind.submit(submit())).toEqual({ kind: 'answered', status: 0, messageId: '1' });
  });

  test('as a pair: submits on one connection, receipts on the other', async () => {
    const delivered: Incoming[] = [];
    const { smsc, bind } = await bound({
      type: 'transmitter_receiver',
      onDeliver: async (incoming) => {
        delivered.push(incoming);
        return { status: 0 };
      },
    });
    expect(smsc.received.map(({ command }) => command).toSorted()).toEqual(['bind_receiver', 'bind_transmitter']);
    const receiver = smsc.sessions[smsc.received.findIndex(({ command }) => command === 'bind_receiver')]!;
    expect(await bind.submit(submit())).toMatchObject({ kind: 'answered', messageId: '1' });
    const answer = await smsc.deliver(receiver, { short_message: Buffer.from('id:1 stat:DELIVRD') });
    expect([answer.command, answer.command_status, delivered.length]).toEqual(['deliver_sm_resp', 0, 1]);
  });

  test('refused credentials raise the alarm', async () => {
    const smsc = await listen();
    smsc.bindStatus = 0x0e;
    const { reached, states } = bindTo(smsc);
    await reached('alarm');
    expect(states.at(-1)).toEqual({ state: 'alarm', detail: 'ESME_RINVPASWD' });
    await until(() => smsc.closed === 1, { what: 'the refused connection to be closed' });
  });

  test('nobody listens: tried again until somebody does', async () => {
    const { port, close } = await rawServer();
    await close();
    const { reached, states } = bindTo({ port });
    await reached('backing_off');
    expect(states.at(-1)?.detail).toContain('ECONNREFUSED');
  });

  test('closing says unbind, and the connection ends', async () => {
    const { smsc, bind } = await bound();
    await bind.close();
    expect(smsc.of('unbind')).toHaveLength(1);
    await until(() => smsc.closed === 1, { what: 'the connection to end' });
  });

  test('an SMSC that unbinds us is answered and bound to anew', async () => {
    const { smsc, bind, reached } = await bound();
    smsc.session.send(new smpp.PDU('unbind'));
    await smsc.got('unbind_resp');
    await until(() => smsc.of('bind_transceiver').length === 2, { what: 'a second bind' });
    await reached('bound');
    expect(bind.open).toBe(true);
  });
});

describe('what the SMSC reads', () => {
  test('Arabic, as UTF-16BE to the octet', async () => {
    const { smsc, bind } = await bound();
    const { encoding, octets } = encodeText('رمز التحقق: 482913');
    expect(encoding).toBe('ucs2');
    await bind.submit({ ...submit(), data_coding: 8, short_message: octets, validity_period: '000000001000000R' });
    const pdu = await smsc.got('submit_sm');
    expect(pdu.data_coding).toBe(8);
    expect(pdu.short_message.toString('hex')).toBe(
      '0631064506320020062706440' + '62a062d064206420' + '03a0020003400380032003900310033',
    );
    expect(pdu).toMatchObject({
      source_addr_ton: 5,
      source_addr_npi: 0,
      source_addr: 'Ramz',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '213550000001',
      registered_delivery: 1,
    });
  });

  test('GSM 7-bit, one septet an octet', async () => {
    const { smsc, bind } = await bound();
    await bind.submit(submit(undefined, 'é@_€'));
    expect((await smsc.got('submit_sm')).short_message.toString('hex')).toBe('0500111b65');
  });

  test('optional parameters', async () => {
    const { smsc, bind } = await bound();
    await bind.submit({ ...submit(), tlvs: [{ tag: 0x0204, value: Buffer.from([1, 2]) }] });
    expect(await smsc.got('submit_sm')).toMatchObject({ user_message_reference: 0x0102 });
  });
});

describe('answers', () => {
  test('throttled', async () => {
    const throttles: number[] = [];
    const { smsc, bind } = await bound({ observer: { onThrottle: (status) => throttles.push(status) } });
    smsc.onSubmit = (pdu, session) => session.send(pdu.response({ command_status: 0x58 }));
    expect(await bind.submit(submit())).toEqual({ kind: 'answered', status: 0x58, messageId: '' });
    expect(throttles).toEqual([0x58]);
  });

  test('late, duplicate, and to nothing', async () => {
    const late: unknown[] = [];
    const { smsc, bind, oddities } = await bound({
      responseTimeoutMs: 5_000, // The last message is answered in time on a busy machine, too.
      onLateAnswer: (pdu, answer) => late.push(pdu, answer),
    });
    smsc.deafTo.add('submit_sm');
    const message = submit();
    expect(await bind.submit(message)).toEqual({ kind: 'unknown', reason: 'timeout' });
    const pdu = await smsc.got('submit_sm');
    smsc.session.send(pdu.response({ message_id: 'A' }));
    smsc.session.send(pdu.response({ message_id: 'A' }));
    const stranger = pdu.response({ message_id: 'B' });
    stranger.sequence_number = 4711;
    smsc.session.send(stranger);
    await until(() => oddities.includes('unknown_answer'), { what: 'the odd answers' });
    expect(oddities.slice(0, 2)).toEqual(['late_answer', 'duplicate_answer']);
    expect(late[0]).toBe(message);
    expect(late[1]).toEqual({ status: 0, messageId: 'A' });

    smsc.deafTo.clear();
    expect(await bind.submit(submit())).toMatchObject({ kind: 'answered' });
  });

  test('two thousand messages through a window of ten, each with its own id', async () => {
    const { smsc, bind } = await bound({ window: 10 });
    const ids = new Map<string, string>();
    let most = 0;
    smsc.onSubmit = (pdu, session) => {
      most = Math.max(most, bind.outstanding);
      ids.set(pdu.destination_addr, smsc.accept(pdu, session));
    };
    let next = 0;
    const lane = async () => {
      while (next < 2_000) {
        const to = String(213_550_000_000 + next++);
        const result = await bind.submit(submit(to));
        if (result.kind !== 'answered' || result.messageId !== ids.get(to))
          throw new Error(`${to}: ${JSON.stringify(result)}`);
      }
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    expect([ids.size, smsc.of('submit_sm').length, bind.outstanding]).toEqual([2_000, 2_000, 0]);
    expect(most).toBeLessThanOrEqual(10);
  });
});

describe('receipts', () => {
  test('may come before the answer', async () => {
    const order: string[] = [];
    const { smsc, bind } = await bound({
      onDeliver: async () => {
        order.push('receipt');
        return { status: 0 };
      },
    });
    smsc.onSubmit = (pdu, session) => {
      void smsc
        .deliver(session, { short_message: Buffer.from('id:1 stat:DELIVRD') })
        .then(() => smsc.accept(pdu, session));
    };
    await bind.submit(submit());
    order.push('answer');
    expect(order).toEqual(['receipt', 'answer']);
  });

  test('are read with their optional parameters, and acknowledged after the commit', async () => {
    const seen: Incoming[] = [];
    let commit = () => {};
    const { smsc } = await bound({
      onDeliver: async (incoming) => {
        seen.push(incoming);
        await new Promise<void>((resolve) => {
          commit = resolve;
        });
        return { status: 0 };
      },
    });
    let acknowledged = false;
    const answer = smsc
      .deliver(smsc.session, {
        short_message: Buffer.from('id:0042 done date:2601011200 stat:UNDELIV err:027 text:Code 1234'),
        receipted_message_id: '2A',
        message_state: 5,
      })
      .then((pdu) => {
        acknowledged = true;
        return pdu;
      });
    const incoming = await until(() => seen[0], { what: 'the receipt' });
    if (incoming.kind !== 'message') throw new Error(incoming.kind);
    expect(readReceipt(incoming.pdu, { timeZone: 'Africa/Algiers', now: Date.UTC(2026, 0, 1) })).toEqual({
      ids: ['2A', '0042'],
      state: 'UNDELIV',
      stateNumber: 5,
      stat: 'UNDELIV',
      error: '027',
      submittedAt: null,
      doneAt: Date.UTC(2026, 0, 1, 11),
      unreadDate: null,
      raw: 'id:0042 done date:2601011200 stat:UNDELIV err:027 text:Code ****',
    });
    smsc.session.send(new smpp.PDU('enquire_link'));
    await smsc.got('enquire_link_resp'); // sent after the receipt and answered before it
    expect(acknowledged).toBe(false);
    commit();
    expect((await answer).command_status).toBe(0);
  });

  test('in data_sm, with message_payload', async () => {
    const seen: Incoming[] = [];
    const { smsc } = await bound({
      onDeliver: async (incoming) => {
        seen.push(incoming);
        return { status: 0 };
      },
    });
    const payload = Buffer.from('id:7 stat:DELIVRD err:000 text:');
    smsc.session.send(new smpp.PDU('data_sm', { esm_class: 4, message_payload: payload }));
    await smsc.got('data_sm_resp');
    const [incoming] = seen;
    expect(incoming?.kind === 'message' && readReceipt(incoming.pdu, { timeZone: 'UTC', now: 0 }).state).toBe(
      'DELIVRD',
    );
  });

  test('a malformed one is shown raw and acknowledged; the next one is read', async () => {
    const seen: Incoming[] = [];
    const { smsc } = await bound({
      onDeliver: async (incoming) => {
        seen.push(incoming);
        return { status: 0 };
      },
    });
    const pdu = new smpp.PDU('deliver_sm', { receipted_message_id: '2A' });
    pdu.sequence_number = 50;
    const frame = pdu.toBuffer();
    frame.writeUInt8(255, frame.length - 8); // sm_length, before the only optional parameter
    smsc.session.socket.write(frame);
    expect(await smsc.got('deliver_sm_resp')).toMatchObject({ command_status: 0, sequence_number: 50 });
    await smsc.deliver(smsc.session, { short_message: Buffer.from('id:1') });
    expect(seen.map(({ kind }) => kind)).toEqual(['malformed', 'message']);
    expect(seen[0]?.frame).toEqual(frame);
  });

  test('in single octets', async () => {
    const { smsc } = await bound();
    const pdu = new smpp.PDU('deliver_sm', { short_message: Buffer.from('id:1 stat:DELIVRD') });
    pdu.sequence_number = 51;
    for (const octet of pdu.toBuffer()) {
      smsc.session.socket.write(Buffer.from([octet]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await smsc.got('deliver_sm_resp')).toMatchObject({ sequence_number: 51 });
  });
});

describe('the connection fails', () => {
  test('cut in the middle of the window: all unknown, nothing sent again, bound anew', async () => {
    const { smsc, bind, reached } = await bound({ window: 5 });
    smsc.deafTo.add('submit_sm');
    const results = [1, 2, 3, 4, 5].map(() => bind.submit(submit()));
    await smsc.got('submit_sm', 5);
    smsc.session.socket.resetAndDestroy();
    for (const result of results) expect(await result).toEqual({ kind: 'unknown', reason: 'connection_lost' });
    await until(() => smsc.sessions.length === 2, { what: 'a second connection' });
    await reached('bound');
    smsc.deafTo.clear();
    expect(await bind.submit(submit())).toMatchObject({ kind: 'answered' });
    expect(smsc.of('submit_sm')).toHaveLength(6);
  });

  test('garbage: generic_nack, and a new connection', async () => {
    const { smsc, states, reached } = await bound();
    smsc.session.socket.write('GET / HTTP/1.1\r\n\r\n');
    expect(await smsc.got('generic_nack')).toMatchObject({ command_status: 2 });
    await until(() => smsc.sessions.length === 2, { what: 'a second connection' });
    await reached('bound');
    expect(states.find(({ state }) => state === 'backing_off')?.detail).toContain('garbage');
  });

  test('enquire_link unanswered: dropped and made anew', async () => {
    const { smsc, states } = await bound({ enquireLinkIdleMs: 40, responseTimeoutMs: 30 });
    smsc.deafTo.add('enquire_link');
    await until(() => states.some(({ detail }) => detail.startsWith('dead')), { what: 'the link to be found dead' });
    await smsc.got('enquire_link', 2);
  });

  test('enquire_link answered: kept', async () => {
    const { smsc, states } = await bound({ enquireLinkIdleMs: 20, responseTimeoutMs: 10_000 });
    await smsc.got('enquire_link', 5);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'bound']);
  });

  test('half-open: it accepts and never says a word', async () => {
    const { port } = await rawServer();
    const { reached, states } = bindTo({ port }, { responseTimeoutMs: 50 });
    await reached('backing_off');
    expect(states.at(-1)?.detail).toBe('the bind was not answered');
  });

  test('it closes as soon as it has accepted', async () => {
    const { port, accepted } = await rawServer((socket) => socket.destroy());
    const { bind } = bindTo({ port });
    await until(() => accepted() >= 3, { what: 'three tries' });
    expect(bind.open).toBe(false);
  });
});

describe('TLS', () => {
  const certificate = selfSigned();

  test('with the authority known', async () => {
    const smsc = await listen(certificate);
    const { bind, reached } = bindTo(smsc, { tls: { ca: certificate.cert } });
    await reached('bound');
    expect(await bind.submit(submit())).toMatchObject({ kind: 'answered' });
  });

  test.each([
    ['an unknown authority', {}],
    ['another name', { ca: certificate.cert, servername: 'smsc.example' }],
  ])('%s is refused, before any password is sent', async (_, tls) => {
    const smsc = await listen(certificate);
    const { reached, states } = bindTo(smsc, { tls });
    await reached('backing_off');
    expect(states.at(-1)?.detail).toMatch(/certificate|altnames/i);
    expect(smsc.received).toEqual([]);
  });

  test('unless it is switched off', async () => {
    const smsc = await listen(certificate);
    await bindTo(smsc, { tls: { rejectUnauthorized: false } }).reached('bound');
  });
});
