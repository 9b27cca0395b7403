// Habits of SMSCs in binding, taking messages, throttling and telling the time.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session as Connection, Pdu } from 'smpp';
import { expect, test } from 'vitest';
import { selfSigned } from '../../support/certificate.ts';
import { testFolder } from '../../support/folder.ts';
import type { Smsc } from '../../support/npm-smsc.ts';
import { answer, delivers, type Habit, playHabits, push, receiptOf, reports } from './habits.ts';

const delivered = { delivery: 'delivered', message: 'delivered', receipts: ['DELIVRD'], submits: 1, nacks: 0 };
const certificate = selfSigned();
const trusted = join(testFolder('habits'), 'ca.pem');
writeFileSync(trusted, certificate.cert);

/** Answers the first binds with these statuses, then takes them. */
const refusingBinds =
  (...statuses: number[]) =>
  (smsc: Smsc) => {
    delivers(smsc);
    smsc.onBind = (pdu, connection) =>
      answer(connection, pdu, { command_status: statuses.shift() ?? 0, system_id: 'SMSC' });
  };

/** Answers the first messages with these statuses, then takes them. */
const refusing =
  (...statuses: number[]) =>
  (smsc: Smsc) => {
    delivers(smsc);
    const take = smsc.onSubmit;
    smsc.onSubmit = (pdu, connection) => {
      const status = statuses.shift() ?? 0;
      if (status === 0) take(pdu, connection);
      else answer(connection, pdu, { command_status: status });
    };
  };

/** Answers 0x62 to a message whose validity_period is not in its form, and does with all others what it does. */
const understanding =
  (form: RegExp, play = delivers) =>
  (smsc: Smsc) => {
    play(smsc);
    const take = smsc.onSubmit;
    smsc.onSubmit = (pdu, connection) => {
      if (form.test(pdu.validity_period as string)) take(pdu, connection);
      else answer(connection, pdu, { command_status: 0x62 });
    };
  };

const always = (status: number) => (smsc: Smsc) => {
  smsc.onSubmit = (pdu, connection) => answer(connection, pdu, { command_status: status });
};

/** Accepts in its own way, then reports the message delivered. */
const accepting = (accept: (pdu: Pdu, connection: Connection) => string) => (smsc: Smsc) => {
  smsc.onSubmit = (submit, connection) => {
    const id = accept(submit, connection);
    void smsc.deliver(connection, receiptOf({ id, submit }));
  };
};

const answering = (fields: { message_id: string; [tag: string]: unknown }) =>
  accepting((pdu, connection) => {
    answer(connection, pdu, fields);
    return fields.message_id;
  });

/** Does something with each connection when it is made, before anything else. */
const onConnect = (act: (connection: Connection) => void) => (smsc: Smsc) => {
  delivers(smsc);
  smsc.onConnection = act;
};

/** The header of an answer without the body that the command should have. */
const bare = (pdu: Pdu, status = 0): Buffer => {
  const octets = Buffer.alloc(16);
  [16, (pdu.command_id | 0x8000_0000) >>> 0, status, pdu.sequence_number].forEach((value, at) => {
    octets.writeUInt32BE(value, at * 4);
  });
  return octets;
};

/** A bind's answer of any fields, written after `before`. */
const bindAnswer =
  (fields: Record<string, unknown>, before: (connection: Connection) => void = () => {}) =>
  (smsc: Smsc) => {
    delivers(smsc);
    smsc.onBind = (pdu, connection) => {
      before(connection);
      answer(connection, pdu, { system_id: 'SMSC', ...fields });
    };
  };

const minutes = (count: number): string =>
  new Date(Date.now() + count * 60_000).toISOString().replace(/\D/g, '').slice(2, 12);

/** The receipt tells the operator's own time, however far it is off. */
const stated = (count: number) => ({
  messages: [
    {
      receipts: [
        {
          operator_timestamp: expect.toSatisfy(
            (at: string) => Math.abs(Date.parse(at) - Date.now() - count * 60_000) < 5 * 60_000,
          ),
        },
      ],
    },
  ],
});

const inMinutes = (count: number) => reports((taken) => receiptOf(taken, { done: minutes(count) }));

const binding: Habit[] = [
  { name: 'plain', does: 'what the specification says', outcome: delivered },
  {
    name: 'tls_own_ca',
    does: 'speaks TLS with a certificate of its own authority',
    tls: certificate,
    bind: { tls: { ca: { file: trusted } } },
    outcome: delivered,
  },
  {
    name: 'tx_rx_pair',
    does: 'wants a transmitter and a receiver, and reports on the receiver',
    bind: { type: 'transmitter_receiver' },
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => {
        const id = smsc.accept(submit, connection);
        const receiver = smsc.sessions.find((each) => each !== connection) as Connection;
        void smsc.deliver(receiver, receiptOf({ id, submit }));
      };
    },
    outcome: delivered,
  },
  {
    name: 'system_id_200',
    does: 'names itself in 200 octets',
    play: bindAnswer({ system_id: 'S'.repeat(200) }),
    outcome: delivered,
  },
  {
    name: 'version_50',
    does: 'says it speaks version 5.0',
    play: bindAnswer({ sc_interface_version: 0x50 }),
    outcome: delivered,
  },
  {
    name: 'enquire_first',
    does: 'sends enquire_link before it answers the bind',
    play: bindAnswer({}, (connection) => push(connection, 'enquire_link')),
    outcome: delivered,
  },
  {
    name: 'deliver_first',
    does: 'sends a receipt of another message before it answers the bind',
    play: bindAnswer({}, (connection) =>
      push(connection, 'deliver_sm', {
        ...receiptOf({ id: '77', submit: { source_addr: 'Ramz', destination_addr: '213770000000' } as unknown as Pdu }),
      }),
    ),
    outcome: delivered,
  },
  {
    name: 'outbind',
    does: 'greets with outbind',
    play: onConnect((connection) => push(connection, 'outbind', { system_id: 'SMSC', password: 'x' })),
    outcome: delivered,
  },
  {
    name: 'bind_alybnd',
    does: 'still holds the old bind: 0x05 once',
    play: refusingBinds(0x05),
    outcome: delivered,
  },
  { name: 'bind_syserr', does: 'answers a bind with 0x08 twice', play: refusingBinds(0x08, 0x08), outcome: delivered },
  {
    name: 'bindfail',
    does: 'restarts: 0x0D once',
    play: refusingBinds(0x0d),
    outcome: delivered,
  },
  {
    name: 'bad_password',
    does: 'refuses the password for good: 0x0E',
    play: refusingBinds(...Array.from({ length: 100 }, () => 0x0e)),
    standing: 'operator_down',
    outcome: { refused: 'no_route operator_down' },
  },
  {
    name: 'dead',
    does: 'hangs up on everyone',
    play: onConnect((connection) => connection.destroy()),
    operator: { down_after_seconds: 12 }, // longer than the service takes to start on a busy machine
    binds: false,
    legSeconds: 60,
    outcome: {
      message: 'withdrawn',
      timeline: ['session_opened', 'leg_started', 'leg_skipped operator_down', 'delivery_exhausted'],
      submits: 0,
    },
  },
  {
    name: 'dead_for_long',
    does: 'has hung up on everyone for five seconds',
    play: onConnect((connection) => connection.destroy()),
    standing: 'operator_down',
    outcome: { refused: 'no_route operator_down' },
  },
  {
    name: 'alert',
    does: 'sends alert_notification, which has no answer',
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => {
        push(connection, 'alert_notification', { source_addr: '213770000000', esme_addr: 'Ramz' });
        const id = smsc.accept(submit, connection);
        void smsc.deliver(connection, receiptOf({ id, submit }));
      };
    },
    outcome: delivered,
  },
  {
    name: 'unbind_in_window',
    does: 'says unbind with a message in the window, then answers it after 200 ms',
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => {
        push(connection, 'unbind');
        setTimeout(() => {
          const id = smsc.accept(submit, connection);
          void smsc.deliver(connection, receiptOf({ id, submit }));
        }, 200);
      };
    },
    outcome: delivered,
  },
  ...[0x7fff_ffff, 0xffff_fffe].map((sequence_number) => ({
    name: `sequence_${sequence_number.toString(16)}`,
    does: 'numbers its requests from the end of the range',
    play: reports((taken) => ({ ...receiptOf(taken), sequence_number })),
    outcome: delivered,
  })),
];

const submitting: Habit[] = [
  {
    name: 'no_body',
    does: 'accepts without a body',
    play: accepting((pdu, { socket }) => {
      socket.write(bare(pdu));
      return '';
    }),
    outcome: delivered,
  },
  {
    name: 'empty_id',
    does: 'accepts with an empty id',
    play: answering({ message_id: '' }),
    outcome: delivered,
  },
  {
    name: 'no_nul',
    does: 'accepts with an id that no NUL ends',
    play: accepting((pdu, { socket }) => {
      const octets = Buffer.concat([bare(pdu), Buffer.from('A1')]);
      octets.writeUInt32BE(octets.length, 0);
      socket.write(octets);
      return 'A1';
    }),
    outcome: delivered,
  },
  {
    name: 'answer_tlvs',
    does: 'accepts with optional parameters behind the id',
    play: answering({ message_id: 'B2', additional_status_info_text: 'ok', 5376: Buffer.from('x') }),
    outcome: delivered,
  },
  {
    name: 'early_receipt',
    does: 'reports before it answers',
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => {
        void smsc.deliver(connection, receiptOf({ id: '1', submit }));
        smsc.accept(submit, connection);
      };
    },
    outcome: delivered,
  },
  {
    name: 'bare_refusal',
    does: 'refuses without a body: 0x0B',
    play: (smsc) => {
      smsc.onSubmit = (pdu, { socket }) => void socket.write(bare(pdu, 0x0b));
    },
    outcome: {
      delivery: 'exhausted',
      message: 'rejected submit_refused',
      session: { messages: [{ error_code: 'ESME_RINVDSTADR' }] },
    },
  },
  {
    name: 'nacked',
    does: 'refuses with generic_nack',
    play: (smsc) => {
      smsc.onSubmit = ({ sequence_number }, connection) =>
        push(connection, 'generic_nack', { sequence_number, command_status: 0x03 });
    },
    outcome: { delivery: 'exhausted', message: 'rejected submit_refused' },
  },
  {
    name: 'err40a',
    does: 'refuses with a code of its own: 0x40A',
    play: always(0x40a),
    outcome: {
      delivery: 'exhausted',
      message: 'rejected submit_refused',
      submits: 1,
      session: { messages: [{ error_code: '0x0000040a' }] },
    },
  },
  {
    name: 'late_answer',
    does: 'answers after the time for it is over',
    operator: { response_timeout_ms: 1000 },
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => {
        setTimeout(() => {
          const id = smsc.accept(submit, connection);
          void smsc.deliver(connection, receiptOf({ id, submit }));
        }, 1500);
      };
    },
    outcome: delivered,
  },
  {
    name: 'receipt_no_answer',
    does: 'never answers, and reports all the same',
    operator: { response_timeout_ms: 1000 },
    play: (smsc) => {
      smsc.onSubmit = (submit, connection) => void smsc.deliver(connection, receiptOf({ id: '9', submit }));
    },
    // The receipt is found by its phone before the doubt is acted on.
    outcome: delivered,
  },
  {
    name: 'silent',
    does: 'answers enquire_link and no message',
    operator: { response_timeout_ms: 1000 },
    play: (smsc) => {
      smsc.onSubmit = () => {};
    },
    outcome: { delivery: 'exhausted', message: 'unknown timeout', submits: 2 }, // in doubt, it goes out once more
  },
];

const validity: Habit[] = [
  {
    name: 'no_validity',
    does: 'understands no validity_period: 0x62',
    play: understanding(/^$/),
    outcome: { ...delivered, submits: 2 },
  },
  {
    name: 'absolute_only',
    does: 'understands an absolute validity_period only: 0x62',
    play: understanding(/^\d{15}\+$/),
    operator: { validity: { fallback: 'absolute' } },
    outcome: { ...delivered, submits: 2 },
  },
  {
    name: 'relative_only',
    does: 'understands a relative validity_period only, and is asked with none first: 0x62',
    play: understanding(/^\d{15}R$/),
    operator: { validity: { format: 'none', fallback: 'relative' } },
    outcome: { ...delivered, submits: 2 },
  },
  {
    name: 'throttled_between',
    does: 'understands no validity_period (0x62), and is then too busy twice: 0x58',
    play: understanding(/^$/, refusing(0x58, 0x58)),
    outcome: { ...delivered, submits: 4 },
  },
  {
    name: 'no_fallback',
    does: 'understands no validity_period (0x62), and has no other form',
    play: understanding(/^$/),
    operator: { validity: { fallback: 'relative' } },
    outcome: { delivery: 'exhausted', message: 'rejected submit_refused', submits: 1 },
  },
  {
    name: 'never_valid',
    does: 'answers 0x62 to every form',
    play: always(0x62),
    outcome: {
      delivery: 'exhausted',
      message: 'rejected submit_refused',
      submits: 2,
      session: { messages: [{ error_code: 'ESME_RINVEXPIRY' }] },
    },
  },
];

const throttling: Habit[] = [
  {
    name: 'throttle_twice',
    does: 'says 0x58 twice',
    play: refusing(0x58, 0x58),
    outcome: { ...delivered, submits: 3 },
  },
  { name: 'queue_full_once', does: 'says 0x14 once', play: refusing(0x14), outcome: { ...delivered, submits: 2 } },
  { name: 'temporary_once', does: 'says 0x64 once', play: refusing(0x64), outcome: { ...delivered, submits: 2 } },
  { name: 'syserr_once', does: 'says 0x08 once', play: refusing(0x08), outcome: { ...delivered, submits: 2 } },
  {
    name: 'throttle_ever',
    does: 'says 0x58 to the end',
    play: always(0x58),
    legSeconds: 20,
    // The message is withdrawn just before or after the leg's end is on record.
    settled: ({ timeline }) => timeline.some((entry) => entry === 'operator_busy'),
    outcome: {
      delivery: 'exhausted',
      message: 'withdrawn',
      timeline: expect.arrayContaining(['leg_timed_out', 'operator_busy', 'message_withdrawn', 'delivery_exhausted']),
      submits: expect.toSatisfy((count: number) => count >= 3 && count <= 15),
      session: { messages: [{ error_code: 'ESME_RTHROTTLED' }] },
    },
  },
];

const clocks: Habit[] = [
  {
    name: 'clock_right',
    does: 'dates its receipts right',
    play: inMinutes(0),
    outcome: { ...delivered, finalAfterMinutes: 0 },
  },
  {
    name: 'future',
    does: 'is 13 months ahead',
    play: inMinutes(13 * 30 * 24 * 60),
    outcome: { ...delivered, finalAfterMinutes: 0, session: stated(13 * 30 * 24 * 60) },
  },
  {
    name: 'utc',
    does: 'is an hour behind',
    play: inMinutes(-60),
    outcome: { ...delivered, finalAfterMinutes: 0, session: stated(-60) },
  },
];

const server = await playHabits([...binding, ...submitting, ...validity, ...throttling, ...clocks]);

test.each([
  ['clock_right', 0],
  ['utc', -60],
  ['future', 13 * 30 * 24 * 60],
])("how far an operator's clock is off is measured: %s", async (operator, offMinutes) => {
  const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
  const line = metrics
    .split('\n')
    .find((each) => each.startsWith(`ramz_operator_clock_skew_seconds{operator="${operator}"}`));
  // Its dates have no seconds, and the service had to start.
  expect(Math.abs(Number(line?.split(' ').at(-1)) / 60 - offMinutes)).toBeLessThan(5);
});
