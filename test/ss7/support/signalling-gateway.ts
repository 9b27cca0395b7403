// A signalling gateway (RFC 4666 1.4) for tests: application server processes connect to its two point codes over TCP, and it relays between them and the
// simulated network. It says what networks say of themselves, on demand, and keeps what passed.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '../../support/wait.ts';
import { is, type Kind, type Message, message, tags, take, uint32 } from './m3ua.ts';

const own = 1;
const network = 2;

/** One of its point codes. */
export class Face {
  readonly pointCode: number;
  /** What the application server process sent here, newest last. */
  readonly received: Message[] = [];
  /** Whether it lets a process become active. */
  activates = true;
  isActive = false;
  connections = 0;
  readonly #relay: SignallingGateway;
  #server: Server | undefined;
  #socket: Socket | undefined;
  #port = 0;

  constructor(relay: SignallingGateway, pointCode: number) {
    this.#relay = relay;
    this.pointCode = pointCode;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes connections; after `cut` at the same port. */
  async open(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((done) => server.listen(this.#port, '127.0.0.1', done));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Drops the connection and takes no other. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.drop();
    await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())));
    this.#server = undefined;
  }

  drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.isActive = false;
  }

  send(octets: Buffer): void {
    this.#socket?.write(octets);
  }

  /** Waits until what is written has left. */
  async sendAll(octets: Buffer): Promise<void> {
    await new Promise<void>((done) => (this.#socket === undefined ? done() : this.#socket.write(octets, () => done())));
  }

  #serve(socket: Socket): void {
    this.#socket = socket;
    this.connections += 1;
    onMessages(socket, (one) => this.#take(one));
    socket.on('close', () => {
      if (this.#socket === socket) this.drop();
    });
  }

  #take(one: Message): void {
    this.received.push(one);
    const context = { routingContext: uint32(this.#relay.routingContext) };
    const notify = (state: number) =>
      this.send(message('notify', { status: Buffer.from([0, 1, 0, state]), ...context }));
    if (is(one, 'aspUp')) {
      this.send(message('aspUpAck'));
      notify(2);
    } else if (is(one, 'aspActive') && this.activates) {
      const mode = one.parameters.get(tags.trafficMode);
      this.send(message('aspActiveAck', { ...(mode && { trafficMode: mode }), ...context }));
      notify(3);
      this.isActive = true;
    } else if (is(one, 'aspInactive') || is(one, 'aspDown')) {
      this.send(message(is(one, 'aspDown') ? 'aspDownAck' : 'aspInactiveAck', is(one, 'aspDown') ? {} : context));
      this.isActive = false;
    } else if (is(one, 'data')) this.#relay.toNetwork(one);
  }
}

export class SignallingGateway {
  readonly routingContext: number;
  readonly faces: readonly [Face, Face];
  /** DATA from the network, as it was handed on. */
  readonly answers: Buffer[] = [];
  /** What becomes of DATA from the network on its way. */
  tampers: (octets: Buffer) => Buffer = (octets) => octets;
  #uplink: Socket | undefined;

  constructor(routingContext: number) {
    this.routingContext = routingContext;
    this.faces = [new Face(this, network), new Face(this, network + 1)];
  }

  /** Connects to the simulated network, whose association expects the port `from`. */
  async start({ to, from }: { to: number; from: number }): Promise<void> {
    await Promise.all(this.faces.map((face) => face.open()));
    const uplink = connect({ host: '127.0.0.1', port: to, localPort: from });
    this.#uplink = uplink;
    let isActive = false;
    const context = { routingContext: uint32(this.routingContext) };
    uplink.on('connect', () => uplink.write(message('aspUp')));
    onMessages(uplink, (one) => {
      if (is(one, 'aspUpAck')) uplink.write(message('aspActive', { trafficMode: uint32(2), ...context }));
      else if (is(one, 'aspActiveAck')) isActive = true;
      else if (is(one, 'data')) this.#fromNetwork(one);
    });
    await until(() => isActive, { what: 'the simulated network' });
  }

  async stop(): Promise<void> {
    this.#uplink?.destroy();
    await Promise.all(this.faces.map((face) => face.cut()));
  }

  /** What is sent to either of its point codes goes to the one that the network has. */
  toNetwork(one: Message): void {
    const octets = Buffer.from(one.octets);
    const label = octets.indexOf(Buffer.concat([uint32(own)]), octets.indexOf(Buffer.from([0x02, 0x10])));
    octets.writeUInt32BE(network, label + 4);
    this.#uplink?.write(octets);
  }

  #fromNetwork(one: Message): void {
    this.answers.push(one.octets);
    this.faces.find(({ isActive }) => isActive)?.send(this.tampers(one.octets));
  }
}

function onMessages(socket: Socket, each: (one: Message) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (octets) => {
    const { messages, rest } = take(Buffer.concat([pending, octets]));
    pending = Buffer.from(rest);
    messages.forEach(each);
  });
  socket.on('error', () => {}); // It was cut: what waits for it says so.
}

/** Point codes that messages of one kind, or of all, went to since `from`. */
export const destinations = (face: Face, from = 0): number[] =>
  face.received.slice(from).flatMap((one) => {
    const body = is(one, 'data') ? one.parameters.get(tags.protocolData) : undefined;
    return body === undefined ? [] : [body.readUInt32BE(4)];
  });

/** A message about point codes, as a signalling gateway sends them of its own accord: RFC 4666 3.4. */
export function about(
  kind: Extract<Kind, 'duna' | 'dava' | 'scon' | 'dupu'>,
  pointCode: number,
  more: Parameters<typeof message>[1] = {},
): Buffer {
  return message(kind, { routingContext: uint32(101), affectedPointCode: uint32(pointCode), ...more });
}
