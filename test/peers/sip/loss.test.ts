// Datagrams that are lost: each one of a call in turn, and every two. The call must end as it does without a loss, and no later than
// the timers of RFC 3261 allow.
import { afterAll, expect } from 'vitest';
import { type CallEvent, Endpoint, writeOffer } from '../../../src/sip/index.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startBaresip } from './support/baresip.ts';
import { type Passed, startLossyRelay } from './support/lossy-relay.ts';

const test = requireTool('baresip');
const NUMBER = '+213555000001';
const isHere = toolPath('baresip') !== undefined;
const phones = isHere
  ? {
      answers: await startBaresip({ numbers: [NUMBER], rtpPorts: [30_000, 30_200] }),
      rings: await startBaresip({ numbers: [NUMBER], answers: 'manual', rtpPorts: [30_202, 30_400] }),
    }
  : null;
const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** Two of three 200s may be lost, or the ACKs to them: the phone sends the third one 1.5 s after the first. */
const answerMs = 1_500;
/** The most that the timers B, F and H give (64 * T1), and a busy machine's share. */
const latestMs = answerMs + 32_000 + 18_000;

interface Played {
  outcome: string;
  passed: readonly Passed[];
  tookMs: number;
}

const isAck = ({ octets }: Passed) => octets.toString('latin1').startsWith('ACK ');

/** One call with these datagrams lost: hung up once the phone has the ACK of its answer, or stopped while it rings. */
async function play(phone: keyof NonNullable<typeof phones>, lost: readonly number[]): Promise<Played> {
  const relay = await startLossyRelay(phones![phone].ports.udp, lost);
  const endpoint = new Endpoint({ trunk: { host: '127.0.0.1', port: relay.port }, transport: 'udp' });
  closers.push(() => endpoint.close(100).then(() => relay.close()));
  await endpoint.open();
  const events: CallEvent[] = [];
  const offer = (address: string) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 });
  const startedAt = Date.now();
  const callId = `loss-${phone}-${lost.join('-')}@test`;
  const hasEnded = () => events.some(({ kind }) => kind === 'ended');
  const isEstablished = () =>
    phones![phone].events.some(({ type, id }) => type === 'CALL_ESTABLISHED' && id === callId);
  const placed = endpoint.call(
    {
      callId,
      to: NUMBER,
      from: { user: '021000000' },
      offer,
      credentials: null,
      ringForMs: 20_000,
    },
    (event) => {
      events.push(event);
      if (event.kind === 'answered') {
        const settled = () => isEstablished() || hasEnded();
        until(settled, { what: `the phone to have the ACK (lost ${lost})` }).then(
          () => placed.hangUp(),
          () => {},
        );
      } else if (event.kind === 'provisional' && phone === 'rings') placed.hangUp();
    },
  );
  await until(hasEnded, {
    what: `the end (lost ${lost})`,
    timeoutMs: latestMs + 5_000,
  });
  const tookMs = Date.now() - startedAt;
  const ends = events.filter((event) => event.kind === 'ended');
  return { outcome: ends.map(({ how }) => how).join(' '), passed: relay.passed, tookMs };
}

for (const [phone, outcome] of [
  ['answers', 'completed'],
  ['rings', 'canceled'],
] as const) {
  test(`a call to a phone that ${phone} is ${outcome} whichever datagram is lost, and whichever two`, async () => {
    const whole = await play(phone, []);
    // The ACK of the refused INVITE is sent at the end, and passes the relay a moment later.
    if (phone === 'rings') await until(() => whole.passed.some(isAck), { what: 'the ACK' });
    expect(whole.outcome).toBe(outcome);
    const ordinals = whole.passed.map((_, index) => index + 1);
    const pairs = ordinals.flatMap((first) => ordinals.slice(first).map((second) => [first, second]));
    const losses = [...ordinals.map((one) => [one]), ...pairs];
    const played = await Promise.all(losses.map(async (lost) => ({ lost, ...(await play(phone, lost)) })));
    expect(played.filter((each) => each.outcome !== outcome)).toEqual([]);
    expect(played.filter(({ tookMs }) => tookMs > latestMs)).toEqual([]);
    // To the phone, too, they are what they are to us: an answered call had its ACK, and nothing rings or talks on.
    const idsOf = (type: string) => {
      const events = phones![phone].events.filter((event) => event.type === type);
      return new Set(events.map(({ id }) => id));
    };
    await until(() => idsOf('CALL_CLOSED').size === played.length + 1, { what: 'the phone to be idle' });
    expect(idsOf('CALL_ESTABLISHED').size).toBe(phone === 'answers' ? played.length + 1 : 0);
    expect(losses.length).toBeGreaterThan(20);
  });
}
