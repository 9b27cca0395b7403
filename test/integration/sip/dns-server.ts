// A DNS server of a test (RFC 1035, RFC 2782, RFC 3596): it answers SRV, A and AAAA from a table, by UDP on loopback.
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Zone {
  /** name → [priority, weight, port, target] */
  srv?: Readonly<Record<string, readonly (readonly [number, number, number, string])[]>>;
  a?: Readonly<Record<string, readonly string[]>>;
  aaaa?: Readonly<Record<string, readonly string[]>>;
}

export interface DnsServer {
  /** "127.0.0.1:port" */
  address: string;
  zone: Zone;
  /** Answered instead of the zone: 2 = server failure; null = the zone; 'silent' = nothing. */
  failure: number | 'silent' | null;
  /** "SRV name", "A name", … in the order they came. */
  asked: string[];
}

const types: Readonly<Record<number, keyof Zone>> = { 1: 'a', 28: 'aaaa', 33: 'srv' };

export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const server: DnsServer = { address: '', zone, failure: null, asked: [] };
  socket.on('message', (question, from) => {
    if (server.failure === 'silent') return;
    socket.send(answer(question, server), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  server.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  afterAll(() => new Promise<void>((resolve) => socket.close(resolve)));
  return server;
}

function answer(question: Buffer, server: DnsServer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const name = labels.join('.').toLowerCase();
  const type = types[question.readUInt16BE(at + 1)];
  server.asked.push(`${type?.toUpperCase()} ${name}`);
  const data = type === undefined || server.failure !== null ? [] : records(type, server.zone[type]?.[name] ?? []);
  const exists = Object.values(server.zone).some((table) => table[name] !== undefined);
  const code = typeof server.failure === 'number' ? server.failure : exists ? 0 : 3;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8580 | code, 2);
  header.writeUInt16BE(data.length, 6);
  header.writeUInt32BE(0, 8);
  const asked = question.subarray(12, at + 5);
  const answers = data.map((each) => {
    const fixed = Buffer.alloc(12);
    fixed.writeUInt16BE(0xc00c, 0); // the name of the question
    question.copy(fixed, 2, at + 1, at + 5); // type and class
    fixed.writeUInt32BE(60, 6); // TTL
    fixed.writeUInt16BE(each.length, 10);
    return Buffer.concat([fixed, each]);
  });
  return Buffer.concat([header, asked, ...answers]);
}

function records(type: keyof Zone, found: readonly (string | readonly [number, number, number, string])[]): Buffer[] {
  return found.map((each) => {
    if (typeof each === 'string') return type === 'a' ? Buffer.from(each.split('.').map(Number)) : ipv6(each);
    const [priority, weight, port, target] = each;
    const numbers = Buffer.alloc(6);
    numbers.writeUInt16BE(priority, 0);
    numbers.writeUInt16BE(weight, 2);
    numbers.writeUInt16BE(port, 4);
    return Buffer.concat([numbers, encodeName(target)]);
  });
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

/** Of an address with "::" in it. */
function ipv6(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::');
  const words = (part: string) => part.split(':').filter(Boolean);
  const zeros = Array(8 - words(head).length - words(tail).length).fill('0');
  const all = [...words(head), ...zeros, ...words(tail)];
  return Buffer.from(all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]));
}
