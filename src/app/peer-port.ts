// The wiring of the peer port: the connections to the other processes on the database, the shards this one owns, and when both begin and
// end. Without PEER_PORT nobody is asked, and every process does its work directly.

import type { Conversation } from '../engine/fleet/conversation.ts';
import type { Owners } from '../engine/fleet/owners.ts';
import { PeerPort } from '../peers/port.ts';
import type { Base } from './base.ts';

export interface Peering {
  processId: string;
  conversation: Conversation;
  owners: Owners;
  /** Names everything that is said: processes that say other things do not talk. */
  dialect: string;
}

export interface OpenedPeering {
  /** Opens the port; from here on this process can be asked. @throws when it is taken. */
  open(): Promise<void>;
  /** Takes shards over, now that this process is ready. */
  begin(): Promise<void>;
  /** Gives the shards to the others, which happens before this process stops taking calls. */
  leave(): Promise<void>;
  close(): Promise<void>;
  /** Once a second. */
  tick(): Promise<void>;
}

/** Null without a peer port. */
export function createPeering({ live, ring, logger, metrics }: Base, parts: Peering): OpenedPeering | null {
  const { peerHost, peerPort } = live.config.server;
  if (peerPort === null) return null;
  const { processId, conversation, owners, dialect } = parts;
  const work = (body: string) => conversation.work(body);
  const port = new PeerPort({ host: peerHost, port: peerPort, processId, ring, dialect, work, log: logger });
  let opened = 0;
  return {
    async open() {
      opened = await port.listen();
      conversation.connect(port);
    },
    begin: () => owners.begin(`${peerHost.includes(':') ? `[${peerHost}]` : peerHost}:${opened}`, port),
    leave: () => owners.leave(),
    close: () => port.close(),
    async tick() {
      await owners.tick();
      metrics.peersHeard.set(port.reachable.length);
      metrics.shardsOwned.set(owners.own);
    },
  };
}
