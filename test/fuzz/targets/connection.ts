// A connection whose other end says anything at all: afterwards it is closed, or it answers enquire_link, or (in the middle of
// a PDU that never ends) it finds out by its timers. Every request of ours has one outcome, and no timer is left.
import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { readReport } from '../../../src/channels/sms/report.ts';
import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { Connection, type Outcome } from '../../../src/smpp/connection.ts';
import { Framer } from '../../../src/smpp/framing.ts';
import { maskFrame } from '../../../src/smpp/receipt-text.ts';
import { FakeClock } from '../../unit/smpp/fake-clock.ts';
import { hold, type Target } from '../target.ts';
import { operator } from './operator.ts';
import { pduSeeds, pduWords, randomPdu } from './pdu.ts';

const now = Date.UTC(2026, 0, 1, 12);
const ping = 0x0badcafe & 0x7fffffff;

export const connection: Target = {
  name: 'connection',
  weight: 4,
  seeds: [...pduSeeds, Buffer.concat(pduSeeds)],
  dictionary: pduWords,
  generate: (random) => Buffer.concat(Array.from({ length: 1 + random.below(6) }, () => randomPdu(random))),
  async run(input) {
    const clock = new FakeClock();
    const [ours, theirs] = duplexPair();
    theirs.on('error', () => {}).on('close', () => ours.destroy());
    const framer = new Framer();
    let answered = false;
    theirs.on('data', (chunk: Buffer) => {
      for (const frame of framer.push(chunk).frames) {
        const decoded = decodePdu(frame);
        hold(decoded.kind === 'pdu', 'we wrote what we can not read');
        if (decoded.pdu.command === 'enquire_link_resp' && decoded.pdu.sequence === ping) answered = true;
      }
    });
    let closed = false;
    const link = new Connection(ours, {
      clock,
      responseTimeoutMs: 10_000,
      enquireLinkIdleMs: 25_000,
      enquireLinkMisses: 2,
      inactivityMs: null,
      maxPduOctets: 65_536,
      maxDeliveries: 3,
      deliverTimeoutMs: 60_000,
      observer: {},
      onDeliver: async (incoming) => {
        if (incoming.kind === 'message') readReport(incoming.pdu, operator, now);
        else maskFrame(incoming.frame);
        return { status: 0 };
      },
    });
    void link.closed.then(() => {
      closed = true;
    });
    const outcomes: Outcome[] = [];
    for (let nth = 0; nth < 2; nth += 1)
      void link.request({ command: 'submit_sm' }).then((outcome) => outcomes.push(outcome));

    theirs.write(input);
    theirs.write(encodePdu({ command: 'enquire_link', sequence: ping }));
    for (let turns = 0; turns < 12 && !closed && !answered; turns += 1) await turn();
    if (!closed && !answered) {
      // Half a PDU ate our question. Nothing more comes: it must be given up.
      clock.advance(60_000);
      for (let turns = 0; turns < 4 && !closed; turns += 1) await turn();
      hold(closed, 'neither closed nor answering');
    }
    link.destroy({ kind: 'closed_by_us', detail: 'over' });
    await turn();
    hold(outcomes.length === 2, 'a request has no outcome');
    clock.advance(2_000);
    hold(clock.pending.length === 0, 'a timer is left');
    ours.destroy();
    theirs.destroy();
  },
};
