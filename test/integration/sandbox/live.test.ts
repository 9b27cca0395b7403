// The recording of a call that is up, as a sound that goes on: what a reader gets, a slow one too, and one that goes.
import { randomBytes } from 'node:crypto';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { playLive } from '../../../src/sandbox/phones/live.ts';
import { alawSamples, Recording, wavOf } from '../../../src/sandbox/phones/recording.ts';
import { until } from '../../support/wait.ts';

const rate = 48_000;
const packet = 160;

let recording: Recording;
let answers: ServerResponse[];
let url: string;
const server = createServer((_, response) => {
  answers.push(response);
  playLive(recording, response);
});

beforeEach(async () => {
  recording = new Recording('PCMA');
  answers = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const said = (from: number, octets: Buffer) => {
  for (let at = 0; at < octets.length; at += packet)
    recording.take({ ssrc: 1, timestamp: from + at, payload: octets.subarray(at, at + packet) });
};

interface Heard {
  answer: IncomingMessage;
  octets(): Buffer;
}

async function listen(): Promise<Heard> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { agent: false }, resolve).on('error', reject),
  );
  const parts: Buffer[] = [];
  answer.on('data', (part) => parts.push(part));
  answer.on('error', () => {});
  return { answer, octets: () => Buffer.concat(parts) };
}

/** Every sixth sample is one of the telephone's; the others lie between. */
function samplesOf(octets: Buffer): number[] {
  const sound = octets.subarray(44);
  return Array.from({ length: Math.floor(sound.length / 12) }, (_, index) => sound.readInt16LE(index * 12 + 10));
}
const expected = (octets: Buffer) => [...octets].map((octet) => alawSamples[octet] ?? 0);

test('sound comes while it is recorded, but for what may still change, and all of it by the end', async () => {
  const octets = randomBytes(packet * 50);
  said(0, octets.subarray(0, packet * 10));
  const { answer, octets: heard } = await listen();
  await until(() => samplesOf(heard()).length === packet * 7, { what: 'what was said before' });
  const header = heard().subarray(0, 44);
  expect(header.toString('latin1', 0, 4) + header.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
  expect([header.readUInt32LE(4), header.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  expect([header.readUInt16LE(22), header.readUInt32LE(24), header.readUInt32LE(28)]).toEqual([1, rate, rate * 2]);
  // Packets that overtake each other are heard in their order.
  for (const index of [11, 10, 12]) said(index * packet, octets.subarray(index * packet, (index + 1) * packet));
  await until(() => samplesOf(heard()).length === packet * 10, { what: 'more' });
  said(packet * 13, octets.subarray(packet * 13));
  recording.end();
  await until(() => answer.readableEnded, { what: 'the end' });
  expect(samplesOf(heard())).toEqual(expected(octets));
  // The saved recording is the same sound.
  const saved = wavOf(recording).subarray(44);
  expect(Array.from({ length: saved.length / 2 }, (_, index) => saved.readInt16LE(index * 2))).toEqual(
    expected(octets),
  );
});

test('between two samples of the telephone the sound is a straight line', async () => {
  said(0, Buffer.from(new Uint8Array(packet).fill(0x2a)));
  recording.end();
  const { answer, octets } = await listen();
  await until(() => answer.readableEnded, { what: 'the end' });
  const first = Array.from({ length: 6 }, (_, index) => octets().readInt16LE(44 + index * 2));
  expect(first).toEqual([1, 2, 3, 4, 5, 6].map((step) => Math.round((-32_256 * step) / 6)));
});

test('a call without a sound is an empty one', async () => {
  const { answer, octets } = await listen();
  recording.end();
  await until(() => answer.readableEnded, { what: 'the end' });
  expect(octets().length).toBe(44);
});

test('a slow reader gets everything later, and nothing piles up for it; one that goes is forgotten', async () => {
  const octets = randomBytes(packet * 50 * 100);
  const slow = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { agent: false }, resolve).on('error', reject),
  );
  slow.pause().on('error', () => {});
  const gone = await listen();
  gone.answer.destroy();
  said(0, octets);
  await until(() => answers[1]!.destroyed, { what: 'the end of the one that goes' });
  await until(() => answers[0]!.writableNeedDrain, { what: 'the slow one to be behind' });
  expect(answers[0]!.writableLength).toBeLessThan(512 * 1024);
  recording.end();
  let length = 0;
  slow.on('data', (part) => {
    length += part.length;
  });
  slow.resume();
  await until(() => slow.readableEnded, { what: 'all of it' });
  expect(length).toBe(44 + octets.length * 12);
});
