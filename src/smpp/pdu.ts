// PDUs as data: commands and their ids, the mandatory parameters of each in wire order (SMPP v3.4 section 4), and the types that
// follow from these tables. Types and codec share the tables, so that they cannot disagree; octets are in codec.ts.

interface CString<Name extends string> {
  name: Name;
  kind: 'cstring';
  /** Longest form on the wire in octets, the closing NUL included. Held when encoding; when decoding more is let in. */
  maxOctets: number;
}
interface Uint8<Name extends string> {
  name: Name;
  kind: 'uint8';
}
/** One length octet, then that many octets: sm_length and short_message together. */
interface Octets<Name extends string> {
  name: Name;
  kind: 'octets';
  maxOctets: number;
}
export type Field = CString<string> | Uint8<string> | Octets<string>;

const cstring = <Name extends string>(name: Name, maxOctets: number): CString<Name> => ({
  name,
  kind: 'cstring',
  maxOctets,
});
const uint8 = <Name extends string>(name: Name): Uint8<Name> => ({ name, kind: 'uint8' });
const octets = <Name extends string>(name: Name, maxOctets: number): Octets<Name> => ({
  name,
  kind: 'octets',
  maxOctets,
});

const none = [] as const;

const bind = [
  cstring('system_id', 16),
  // The specification has room for 9; operators hand out longer passwords all the same, and their SMSCs take them.
  cstring('password', 65),
  cstring('system_type', 13),
  uint8('interface_version'),
  uint8('addr_ton'),
  uint8('addr_npi'),
  cstring('address_range', 41),
] as const;

const bindAnswer = [cstring('system_id', 16)] as const;

const shortMessage = [
  cstring('service_type', 6),
  uint8('source_addr_ton'),
  uint8('source_addr_npi'),
  cstring('source_addr', 21),
  uint8('dest_addr_ton'),
  uint8('dest_addr_npi'),
  cstring('destination_addr', 21),
  uint8('esm_class'),
  uint8('protocol_id'),
  uint8('priority_flag'),
  cstring('schedule_delivery_time', 17),
  cstring('validity_period', 17),
  uint8('registered_delivery'),
  uint8('replace_if_present_flag'),
  uint8('data_coding'),
  uint8('sm_default_msg_id'),
  octets('short_message', 254),
] as const;

const dataMessage = [
  cstring('service_type', 6),
  uint8('source_addr_ton'),
  uint8('source_addr_npi'),
  cstring('source_addr', 65),
  uint8('dest_addr_ton'),
  uint8('dest_addr_npi'),
  cstring('destination_addr', 65),
  uint8('esm_class'),
  uint8('registered_delivery'),
  uint8('data_coding'),
] as const;

const messageAnswer = [cstring('message_id', 65)] as const;

const query = [
  cstring('message_id', 65),
  uint8('source_addr_ton'),
  uint8('source_addr_npi'),
  cstring('source_addr', 21),
] as const;

const queryAnswer = [
  cstring('message_id', 65),
  cstring('final_date', 17),
  uint8('message_state'),
  uint8('error_code'),
] as const;

const cancel = [
  cstring('service_type', 6),
  cstring('message_id', 65),
  uint8('source_addr_ton'),
  uint8('source_addr_npi'),
  cstring('source_addr', 21),
  uint8('dest_addr_ton'),
  uint8('dest_addr_npi'),
  cstring('destination_addr', 21),
] as const;

/** Section of SMPP v3.4 in brackets. */
export const fields = {
  bind_transmitter: bind, // 4.1.1
  bind_transmitter_resp: bindAnswer,
  bind_receiver: bind, // 4.1.3
  bind_receiver_resp: bindAnswer,
  bind_transceiver: bind, // 4.1.5
  bind_transceiver_resp: bindAnswer,
  unbind: none, // 4.2
  unbind_resp: none,
  generic_nack: none, // 4.3
  submit_sm: shortMessage, // 4.4
  submit_sm_resp: messageAnswer,
  deliver_sm: shortMessage, // 4.6
  deliver_sm_resp: messageAnswer,
  data_sm: dataMessage, // 4.7
  data_sm_resp: messageAnswer,
  query_sm: query, // 4.8
  query_sm_resp: queryAnswer,
  cancel_sm: cancel, // 4.9
  cancel_sm_resp: none,
  enquire_link: none, // 4.11
  enquire_link_resp: none,
} as const satisfies Record<string, readonly Field[]>;

/** An optional parameter (SMPP v3.4 section 5.3), raw. */
export interface Tlv {
  tag: number;
  value: Buffer;
}

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
/** Bit 31 of command_id marks an answer; generic_nack is one. */
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

/** A PDU to encode. Omitted fields are 0, or empty. */
export type PduInput<C extends Command = Command> = {
  [K in C]: { command: K } & Partial<Pdu<K>>;
}[C];

export type Request = Exclude<Command, 'generic_nack' | `${string}_resp`>;
export type Answer = Exclude<Command, Request>;

/** Thrown for a value that cannot be written: sent as it is, it would shift or forge the fields behind it. */
export class FieldError extends Error {
  override name = 'FieldError';
  readonly field: string;
  readonly reason: FieldProblem;

  constructor(field: string, reason: FieldProblem) {
    super(`${field}: ${reason}`); // never the value: it may be a code
    this.field = field;
    this.reason = reason;
  }
}
export type FieldProblem = 'holds a NUL' | 'too long' | 'not ISO 8859-1' | 'not a number of the right size';
