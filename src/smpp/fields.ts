// Which mandatory parameters each command carries, in wire order (SMPP v3.4 section 4). Types and codec both follow from
// these tables; what the values mean is not said here.

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
