// The other end of a stream in memory: notes what comes, says what it is told to. What a real peer does is tested in
// test/integration/smpp.
import { type Duplex, duplexPair } from 'node:stream';
import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { Framer } from '../../../src/smpp/framing.ts';
import type { Command, Pdu, PduInput } from '../../../src/smpp/pdu.ts';
import type { Opener } from '../../../src/smpp/transport.ts';
import { until } from '../../support/wait.ts';

/** One connection, seen from the SMSC. */
export class Peer {
  readonly received: Pdu[] = [];
  ended = false;
  readonly stream: Duplex;

  constructor(stream: Duplex) {
    this.stream = stream;
    const framer = new Framer();
    stream.on('data', (chunk: Buffer) => {
      for (const frame of framer.push(chunk).frames) {
        const decoded = decodePdu(frame);
        if (decoded.kind === 'pdu') this.received.push(decoded.pdu);
      }
    });
    stream.on('end', () => {
      this.ended = true;
    });
    stream.on('error', () => {});
  }

  send(pdu: PduInput): void {
    this.stream.write(encodePdu(pdu));
  }

  of<C extends Command>(command: C): Pdu<C>[] {
    return this.received.filter((pdu) => pdu.command === command) as Pdu<C>[];
  }

  /** Waits for the nth PDU of that command, counted from 1. */
  async got<C extends Command>(command: C, nth = 1): Promise<Pdu<C>> {
    return until(() => this.of(command)[nth - 1], { what: `${nth} × ${command}`, everyMs: 1 });
  }

  /** As when the process at the other end dies. */
  cut(): void {
    this.stream.destroy();
  }
}

/** A listening SMSC: every connection that is opened becomes a peer. */
export class FakeSmsc {
  readonly peers: Peer[] = [];
  refuse: string | null = null;

  readonly open: Opener = async () => {
    if (this.refuse !== null) return { kind: 'failed', detail: this.refuse };
    const [ours, theirs] = duplexPair();
    this.peers.push(new Peer(theirs));
    // In memory the cut of one side is not seen at the other by itself.
    theirs.on('close', () => ours.destroy());
    return { kind: 'open', stream: ours };
  };

  async peer(nth = 1): Promise<Peer> {
    return until(() => this.peers[nth - 1], { what: `connection ${nth}`, everyMs: 1 });
  }

  /** Answers the nth connection's bind. */
  async bound(nth = 1, status = 0): Promise<Peer> {
    const peer = await this.peer(nth);
    const request = await until(() => peer.received.find(({ command }) => command.startsWith('bind_')), {
      what: 'a bind',
      everyMs: 1,
    });
    peer.send({ command: `${request.command as 'bind_transceiver'}_resp`, sequence: request.sequence, status });
    return peer;
  }
}
