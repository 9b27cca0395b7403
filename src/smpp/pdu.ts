// What a PDU is: commands and their ids, and the shapes that follow from the field tables. No bytes here.

import type { fields } from './fields.ts';
import type { Tlv } from './tlv.ts';

export type Command = keyof typeof fields;

/** SMPP v3.4 section 5.1.2.1. */
export const commandIds = {
  generic_nack: 0x80000000,
  bind_receiver: 0x00000001,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x00000002,
  bind_transmitter_resp: 0x80000002,
  query_sm: 0x00000003,
  query_sm_resp: 0x80000003,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  cancel_sm: 0x00000008,
  cancel_sm_resp: 0x80000008,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
  data_sm: 0x00000103,
  data_sm_resp: 0x80000103,
} as const satisfies Record<Command, number>;

/** command_length, command_id, command_status, sequence_number: four octets each. */
export const HEADER_OCTETS = 16;
/** Bit 31 of command_id tells an answer from a request; generic_nack is an answer. */
export const isAnswerId = (commandId: number): boolean => commandId >= 0x80000000;
export const INTERFACE_VERSION = 0x34;
/** sequence_number is 1 to this (section 3.2). */
export const MAX_SEQUENCE = 0x7fffffff;

type FieldOf<C extends Command> = (typeof fields)[C][number];
type ValueOf<F> = F extends { kind: 'octets' } ? Buffer : F extends { kind: 'uint8' } ? number : string;
type Body<C extends Command> = { [F in FieldOf<C> as F['name']]: ValueOf<F> };
interface Header<C extends Command> {
  command: C;
  /** command_status; 0 in requests. */
  status: number;
  sequence: number;
}

/** A decoded PDU. Fields bear the specification's names; optional parameters are kept raw, in wire order. */
export type Pdu<C extends Command = Command> = {
  [K in C]: Header<K> & Body<K> & { tlvs: readonly Tlv[] };
}[C];

/** A PDU to encode. What is left out is 0, or empty. */
export type PduInput<C extends Command = Command> = {
  [K in C]: { command: K } & Partial<Pdu<K>>;
}[C];

export type Request = Exclude<Command, 'generic_nack' | `${string}_resp`>;
export type Answer = Exclude<Command, Request>;
