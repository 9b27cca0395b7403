// HTTP/2 by hand (RFC 9113), for what no client library would send.
import { connect, type Socket } from 'node:net';

const types = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, continuation: 9 } as const;
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(
  type: keyof typeof types,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = types[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field without indexing and Huffman (RFC 7541 section 6.2.2). */
function field(name: string, value: string): Buffer {
  const text = (content: string) => Buffer.concat([length(content.length), Buffer.from(content, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** An integer with a prefix of seven bits (RFC 7541 section 5.1). */
function length(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const octets = [127];
  for (let rest = value - 127; ; rest >>= 7) {
    if (rest < 128) return Buffer.from([...octets, rest]);
    octets.push((rest & 127) | 128);
  }
}

/** The header block of a gRPC call. */
export function callTo(path: string, more: Record<string, string> = {}): Buffer {
  const fields = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'x',
    te: 'trailers',
    'content-type': 'application/grpc',
  };
  return Buffer.concat(Object.entries({ ...fields, ...more }).map(([name, value]) => field(name, value)));
}

export const endHeaders = 4;
export const endStream = 1;

export interface RawConnection {
  socket: Socket;
  /** What came back so far. */
  received(): Buffer;
  /** Resolves when the other side has closed. */
  closed: Promise<void>;
}

export function rawConnection(address: string, { reading = true } = {}): RawConnection {
  const [host = '', port = ''] = address.split(':');
  const socket = connect({ host, port: Number(port), noDelay: true });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  if (reading) socket.on('data', (chunk) => chunks.push(chunk));
  return { socket, received: () => Buffer.concat(chunks), closed };
}

/** Writes until everything is handed over, or the other side has closed. */
export async function pour({ socket, closed }: RawConnection, chunks: Iterable<Uint8Array>): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    if (socket.write(chunk)) continue;
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
}
