// What every HTTP/2 connection begins with (RFC 9113 section 3.4): the client's preface and its SETTINGS. A connection costs nearly
// nothing until both are there; only then is it given to grpc-js.

import type { Socket } from 'node:net';

const magic = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHead = 9;
const settings = 4;
/** The largest frame a peer may send before it was allowed more (section 4.2). */
const maxFrame = 16_384;

/** Whether the connection begins as it must; `more` while too little of it has come. */
export function judgeBeginning(bytes: Buffer): 'complete' | 'more' | 'wrong' {
  const known = Math.min(bytes.length, magic.length);
  if (!bytes.subarray(0, known).equals(magic.subarray(0, known))) return 'wrong';
  if (bytes.length < magic.length + frameHead) return 'more';
  const length = bytes.readUIntBE(magic.length, 3);
  if (bytes[magic.length + 3] !== settings || length > maxFrame) return 'wrong';
  return bytes.length < magic.length + frameHead + length ? 'more' : 'complete';
}

/** Calls `ready` once the beginning has come; what was read is put back before. A connection that begins otherwise is closed. */
export function awaitBeginning(socket: Socket, ready: () => void): void {
  let held = Buffer.alloc(0);
  const read = () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      held = Buffer.concat([held, chunk]);
    }
    const beginning = judgeBeginning(held);
    if (beginning === 'wrong') socket.destroy();
    if (beginning !== 'complete') return;
    socket.off('readable', read);
    socket.unshift(held);
    ready();
  };
  socket.on('readable', read);
}
