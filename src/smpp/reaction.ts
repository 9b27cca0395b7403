// The reaction of a client to each PDU from the SMSC. The decision is pure and apart from the connection that acts on it, so that
// every PDU can be tested without a stream.

import type { Decoded } from './codec.ts';
import type { Arrived } from './deliveries.ts';
import type { Oddity } from './observer.ts';
import { type Answer, isAnswerId, type Pdu, type PduInput } from './pdu.ts';
import { commandStatus } from './status.ts';

export type Reaction =
  /** The PDU answers a request of ours. */
  | { kind: 'match'; answer: Pdu<Answer> }
  /** Show it to the caller, and answer when the caller is done. */
  | ({ kind: 'deliver' } & Arrived)
  | { kind: 'reply'; pdu: PduInput<Answer> }
  /** Let the window end, answer, then close: the SMSC goes. */
  | { kind: 'unbound'; pdu: PduInput<Answer> }
  /** The SMSC has lost our bind, and says so to a connection that is up. */
  | { kind: 'forgotten' }
  /** Nothing is to be done: the PDU shows that the peer is alive. */
  | { kind: 'none' };

/** Requests of an SMSC that SMPP v3.4 gives no answer (sections 4.1.7 and 4.12.1): a generic_nack would count as a fault of ours. */
const unanswered = new Map<number, Oddity>([
  [0x0b, 'outbind'],
  [0x102, 'alert_notification'],
]);

/** The reaction to a PDU, and the oddity to be counted where something is wrong. */
export function reactionTo(decoded: Decoded, frame: Buffer): { reaction: Reaction; oddity: [Oddity, string] | null } {
  switch (decoded.kind) {
    case 'pdu': {
      const { pdu, damage } = decoded;
      return {
        reaction: toPdu(pdu, frame, damage),
        oddity: damage === undefined ? null : ['damaged_options', `${pdu.command}: ${damage}`],
      };
    }
    case 'unknown_command': {
      const { commandId, sequence } = decoded;
      const silent = unanswered.get(commandId);
      // A nack of an answer would itself be an answer to nothing.
      const ignored = silent !== undefined || isAnswerId(commandId);
      return {
        reaction: ignored ? { kind: 'none' } : nack(sequence, commandStatus.RINVCMDID),
        oddity: [silent ?? 'unknown_command', `0x${commandId.toString(16).padStart(8, '0')}`],
      };
    }
    case 'malformed':
      return {
        reaction: toMalformed(decoded, frame),
        oddity: ['malformed_request', `${decoded.command}: ${decoded.reason}`],
      };
  }
}

function toPdu(pdu: Pdu, frame: Buffer, damage: string | undefined): Reaction {
  const { sequence } = pdu;
  switch (pdu.command) {
    case 'enquire_link':
      return { kind: 'reply', pdu: { command: 'enquire_link_resp', sequence } };
    case 'enquire_link_resp':
      return pdu.status === commandStatus.RINVBNDSTS ? { kind: 'forgotten' } : { kind: 'none' };
    case 'unbind':
      return { kind: 'unbound', pdu: { command: 'unbind_resp', sequence } };
    case 'deliver_sm':
    case 'data_sm': {
      const incoming = { kind: 'message' as const, pdu, frame, ...(damage !== undefined && { damage }) };
      return { kind: 'deliver', incoming, command: pdu.command, sequence };
    }
    case 'bind_receiver':
    case 'bind_transmitter':
    case 'bind_transceiver':
    case 'submit_sm':
    case 'query_sm':
    case 'cancel_sm':
      return nack(sequence, commandStatus.RINVCMDID); // nothing an SMSC asks of a client
    default:
      return { kind: 'match', answer: pdu };
  }
}

/** The reaction to a malformed PDU. Only this PDU fails: its length was right, so the next one is where it should be. */
function toMalformed({ command, sequence, reason }: Extract<Decoded, { kind: 'malformed' }>, frame: Buffer): Reaction {
  switch (command) {
    case 'deliver_sm':
    case 'data_sm':
      return { kind: 'deliver', incoming: { kind: 'malformed', reason, frame }, command, sequence };
    case 'enquire_link':
      return { kind: 'reply', pdu: { command: 'enquire_link_resp', sequence } }; // it has no body to get wrong
    case 'unbind':
      return { kind: 'unbound', pdu: { command: 'unbind_resp', sequence } };
    default:
      return nack(sequence, commandStatus.RINVCMDLEN);
  }
}

const nack = (sequence: number, status: number): Reaction => ({
  kind: 'reply',
  pdu: { command: 'generic_nack', sequence, status },
});

/** The status of an answer; a generic_nack without one is a refusal all the same. */
export function statusOf(pdu: Pdu<Answer>): number {
  return pdu.command === 'generic_nack' && pdu.status === 0 ? commandStatus.RUNKNOWNERR : pdu.status;
}
