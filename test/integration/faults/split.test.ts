// What the network may do to a stream: PDUs come in pieces, cut at every octet, in every mixture.
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { encodePdu, Framer } from '../../../src/smpp/index.ts';
import { until } from '../../support/wait.ts';
import { bindTo, rawServer } from '../smpp/smsc.ts';

/** Answers binds and unbinds by itself; everything else is handed over. */
const listening = (onFrame: (frame: Buffer, socket: Socket) => void) =>
  rawServer((socket) => {
    const framer = new Framer();
    // Each piece of a PDU goes out as it is written.
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      for (const frame of framer.push(chunk).frames) {
        const sequence = frame.readUInt32BE(12);
        const id = frame.readUInt32BE(4);
        if (id === 9) socket.write(encodePdu({ command: 'bind_transceiver_resp', sequence, system_id: 'S' }));
        else if (id === 6) socket.end(encodePdu({ command: 'unbind_resp', sequence }));
        else onFrame(frame, socket);
      }
    });
  });

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an answer, a receipt and an enquire_link, cut in two at every octet: each is read, once and right', async () => {
  const answers: string[] = [];
  const delivered: string[] = [];
  let cutAt = 0;
  let length = 0;
  const server = await listening(async (frame, socket) => {
    if (frame.readUInt32BE(4) !== 4) {
      answers.push(`${frame.readUInt32BE(4).toString(16)} ${frame.readUInt32BE(8)} ${frame.readUInt32BE(12)}`);
      return;
    }
    const text = Buffer.from(`id:${cutAt} stat:DELIVRD`);
    const stream = Buffer.concat([
      encodePdu({ command: 'submit_sm_resp', sequence: frame.readUInt32BE(12), message_id: `${cutAt}` }),
      encodePdu({ command: 'deliver_sm', sequence: 1000 + cutAt, esm_class: 4, short_message: text }),
      encodePdu({ command: 'enquire_link', sequence: 2000 + cutAt }),
    ]);
    length = stream.length;
    socket.write(stream.subarray(0, cutAt));
    // Not before the first piece was read: that is when the reader, in this very process, has had its turn.
    await turn();
    await turn();
    socket.write(stream.subarray(cutAt));
  });
  const { bind, reached } = bindTo(server, {
    onDeliver: async (incoming) => {
      delivered.push(
        incoming.kind === 'message' && 'short_message' in incoming.pdu ? `${incoming.pdu.short_message}` : '?',
      );
      return { status: 0 };
    },
  });
  await reached('bound');
  for (cutAt = 1; cutAt === 1 || cutAt < length; cutAt += 1) {
    const result = await bind.submit({ command: 'submit_sm', destination_addr: '213551234567' });
    expect(result).toEqual({ kind: 'answered', status: 0, messageId: `${cutAt}` });
    await until(() => answers.length === 2 * cutAt, { what: `both answers, cut at ${cutAt}`, everyMs: 1 });
  }
  expect(length).toBeGreaterThan(80);
  expect(delivered).toEqual(Array.from({ length: length - 1 }, (_, n) => `id:${n + 1} stat:DELIVRD`));
  expect(answers.slice(-2).toSorted()).toEqual([`80000005 0 ${1000 + length - 1}`, `80000015 0 ${2000 + length - 1}`]);
  expect(bind.state).toBe('bound');
});

test('everything at once, in one write: two hundred receipts between the answers', async () => {
  let delivered = 0;
  const server = await listening((frame, socket) => {
    if (frame.readUInt32BE(4) !== 4) return;
    const receipts = Array.from({ length: 200 }, (_, sequence) =>
      encodePdu({ command: 'deliver_sm', sequence, esm_class: 4, short_message: Buffer.from('id:1 stat:DELIVRD') }),
    );
    const answer = encodePdu({ command: 'submit_sm_resp', sequence: frame.readUInt32BE(12), message_id: '1' });
    socket.write(Buffer.concat([...receipts.slice(0, 100), answer, ...receipts.slice(100)]));
  });
  const { bind, reached } = bindTo(server, {
    onDeliver: async () => {
      delivered += 1;
      return { status: 0 };
    },
  });
  await reached('bound');
  expect(await bind.submit({ command: 'submit_sm' })).toMatchObject({ kind: 'answered', messageId: '1' });
  await until(() => delivered === 200, { what: 'all receipts' });
});
