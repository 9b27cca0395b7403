// The far end of a call: it answers by a table, over UDP with the transactions of npm `sip` (as the sandbox's phones do), over TCP and
// TLS with its parser and writer. Ends with its test file.
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import sip, { type Message } from 'sip';
import { afterAll } from 'vitest';
import { SipStack } from '../../../src/sandbox/phones/stack.ts';
import { type CallEvent, type Endpoint, type OutgoingCall, writeOffer } from '../../../src/sip/index.ts';
import { until } from '../../support/wait.ts';

export type Reply = (
  status: number,
  reason: string,
  extra?: { headers?: Record<string, unknown>; content?: string },
) => void;

/** What it does with one request; default: it rings and answers each call, and says 200 to all else. */
export type Behavior = (request: Message, reply: Reply) => void;

export interface Callee {
  port: number;
  /** In the order they came, repetitions left out over UDP. */
  requests: Message[];
  behave: Behavior;
  /** Sends a request of its own within the call of that INVITE. */
  ask(method: string, invite: Message): void;
  request(method: string, nth?: number): Promise<Message>;
  /** Nobody listens from now on. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
}

export interface StreamCallee extends Callee {
  /** Open connections. */
  connections: ReadonlySet<Socket>;
  /** How many there were in all. */
  accepted: number;
  /** How its bytes are cut; default: not at all. */
  write(socket: Socket, bytes: Buffer): void;
}

const TAG = 'callee';

export const answerSdp = writeOffer({ address: '127.0.0.1', port: 41_000, sessionId: '2', version: 1 });

/** @param contact Its own URI. */
const answering =
  (contact: () => string): Behavior =>
  (request, reply) => {
    if (request.method !== 'INVITE') {
      reply(200, 'OK');
      return;
    }
    const headers = { contact: [{ uri: contact(), params: {} }], 'content-type': 'application/sdp' };
    reply(180, 'Ringing', { headers: { contact: headers.contact } });
    reply(200, 'OK', { headers, content: answerSdp });
  };

/** The tag makes the dialog; npm `sip` leaves it to its user. */
function tagged(request: Message): Message {
  request.headers.to.params.tag ??= TAG;
  return request;
}

/** A request of the callee: From and To change places. */
function inDialog(method: string, invite: Message, number: number) {
  const [contact] = Array.isArray(invite.headers.contact) ? invite.headers.contact : [];
  const uri = sip.stringifyUri(contact?.uri ?? '');
  const { from, to } = invite.headers;
  const headers = {
    from: { ...to, params: { ...to.params, tag: TAG } },
    to: from,
    'call-id': invite.headers['call-id'],
    cseq: { seq: number, method },
    'max-forwards': 70,
  };
  return { method, uri, headers };
}

const nthRequest = (requests: readonly Message[], method: string, nth: number) =>
  until(() => requests.filter((request) => request.method === method)[nth - 1], { what: `${method} number ${nth}` });

export async function udpCallee(host = '127.0.0.1'): Promise<Callee> {
  let asked = 0;
  const remotes = new Map<string, { address: string; port: number }>();
  const stack: SipStack = new SipStack(sip, {
    host,
    port: 0,
    onRequest: ({ request, remote, answer }) => {
      callee.requests.push(tagged(request));
      remotes.set(request.headers['call-id'], remote);
      callee.behave(request, answer);
    },
    onAck: (request) => callee.requests.push(request),
  });
  await stack.open();
  const callee: Callee = {
    port: stack.port,
    requests: [],
    behave: answering(() => `sip:callee@${host}:${stack.port}`),
    ask: (method, invite) => {
      asked += 1;
      const remote = remotes.get(invite.headers['call-id']);
      if (remote) stack.request(inDialog(method, invite, asked), remote);
    },
    request: (method, nth = 1) => nthRequest(callee.requests, method, nth),
    stop: () => stack.close(),
    start: () => stack.open(),
  };
  afterAll(() => stack.close());
  return callee;
}

export async function streamCallee(certificate: { cert: string; key: string } | null = null): Promise<StreamCallee> {
  const connections = new Set<Socket>();
  const transport = certificate ? 'tls' : 'tcp';
  let server: Server | null = null;
  let asked = 0;
  const accept = (socket: Socket): void => {
    callee.accepted += 1;
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {});
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let message = cut(); message; message = cut()) take(message, socket);
    });
    /** The next whole message. */
    function cut(): Message | undefined {
      const headEnd = rest.indexOf('\r\n\r\n') + 4;
      const length = Number(/^Content-Length: (\d+)/im.exec(rest.toString('latin1', 0, headEnd))?.[1] ?? 0);
      if (headEnd < 4 || rest.length < headEnd + length) return undefined;
      const message = sip.parse(rest.subarray(0, headEnd + length));
      rest = rest.subarray(headEnd + length);
      return message;
    }
  };
  const take = (message: Message, socket: Socket): void => {
    if (message.method === undefined) return;
    callee.requests.push(tagged(message));
    if (message.method === 'ACK') return;
    callee.behave(message, (status, reason, extra) => {
      const response = sip.makeResponse(message, status, reason, extra);
      callee.write(socket, Buffer.from(sip.stringify(response), 'latin1'));
    });
  };
  const listen = async (port: number): Promise<void> => {
    server = certificate ? createTlsServer(certificate, accept) : createTcpServer(accept);
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  };
  const stop = async (): Promise<void> => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  };
  const callee: StreamCallee = {
    port: 0,
    requests: [],
    connections,
    accepted: 0,
    behave: answering(() => `sip:callee@127.0.0.1:${callee.port};transport=${transport}`),
    write: (socket, bytes) => socket.write(bytes),
    ask: (method, invite) => {
      asked += 1;
      const { uri, headers } = inDialog(method, invite, asked);
      const protocol = transport.toUpperCase();
      const params = { branch: `z9hG4bKcallee${asked}` };
      const via = [{ version: '2.0', protocol, host: '127.0.0.1', port: callee.port, params }];
      const text = sip.stringify({ method, uri, headers: { via, ...headers } });
      for (const socket of connections) callee.write(socket, Buffer.from(text, 'latin1'));
    },
    request: (method, nth = 1) => nthRequest(callee.requests, method, nth),
    stop,
    start: () => listen(callee.port),
  };
  await listen(0);
  const address = (server as Server | null)?.address();
  callee.port = typeof address === 'object' && address ? address.port : 0;
  afterAll(stop);
  return callee;
}

let placed = 0;

/** A call through an endpoint, and what became of it. */
export function placeCall(endpoint: Endpoint, options: Partial<OutgoingCall> = {}) {
  placed += 1;
  const events: CallEvent[] = [];
  const call = endpoint.call(
    {
      callId: `call-${placed}@test`,
      to: '+213555000001',
      from: { user: '021000000' },
      offer: (address) => writeOffer({ address, port: 40_000, sessionId: '1', version: 1 }),
      credentials: null,
      ringForMs: 20_000,
      ...options,
    },
    (event) => events.push(event),
  );
  const event = async <K extends CallEvent['kind']>(kind: K) => {
    const isKind = (each: CallEvent): each is Extract<CallEvent, { kind: K }> => each.kind === kind;
    const found = until(() => events.find(isKind), { what: kind });
    return found.catch((error) => {
      throw new Error(`${error.message}; there was ${JSON.stringify(events)}`);
    });
  };
  return { call, events, event };
}
