// One PDU of every command as hex, made by another implementation (npm smpp), beside what it says.
import type { PduInput } from '../../../src/smpp/pdu.ts';

const sequence = 7;
const bind = {
  system_id: 'ramz',
  password: 'secret08',
  system_type: 'OTP',
  interface_version: 0x34,
  addr_ton: 1,
  addr_npi: 1,
  address_range: '213',
};
const bound = { system_id: 'SMSC', tlvs: [{ tag: 0x0210, value: Buffer.from([0x34]) }] };
const fromPhone = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: '213550000001',
  dest_addr_ton: 5,
  destination_addr: 'Ramz',
  esm_class: 4,
};
const toPhone = {
  source_addr_ton: 5,
  source_addr: 'Ramz',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: '213550000001',
};

export const vectors: readonly { hex: string; pdu: PduInput }[] = [
  {
    hex: '0000002900000002000000000000000772616d7a007365637265743038004f54500034010132313300',
    pdu: { command: 'bind_transmitter', sequence, ...bind },
  },
  {
    hex: '0000001a800000020000000000000007534d5343000210000134',
    pdu: { command: 'bind_transmitter_resp', sequence, ...bound },
  },
  {
    hex: '0000002900000001000000000000000772616d7a007365637265743038004f54500034010132313300',
    pdu: { command: 'bind_receiver', sequence, ...bind },
  },
  {
    hex: '0000001a800000010000000000000007534d5343000210000134',
    pdu: { command: 'bind_receiver_resp', sequence, ...bound },
  },
  {
    hex: '0000002900000009000000000000000772616d7a007365637265743038004f54500034010132313300',
    pdu: { command: 'bind_transceiver', sequence, ...bind },
  },
  {
    hex: '0000001a800000090000000000000007534d5343000210000134',
    pdu: { command: 'bind_transceiver_resp', sequence, ...bound },
  },
  { hex: '00000010000000060000000000000007', pdu: { command: 'unbind', sequence } },
  { hex: '00000010800000060000000000000007', pdu: { command: 'unbind_resp', sequence } },
  { hex: '00000010000000150000000000000007', pdu: { command: 'enquire_link', sequence } },
  { hex: '00000010800000150000000000000007', pdu: { command: 'enquire_link_resp', sequence } },
  { hex: '00000010800000000000000300000007', pdu: { command: 'generic_nack', status: 3, sequence } },
  {
    // Arabic as UTF-16BE: "رمز 42".
    hex:
      '000000500000000400000000000000074f545000050052616d7a0001013231333535303030303030310000000000' +
      '3030303030303030313030303030305200010008000c063106450632002000340032',
    pdu: {
      command: 'submit_sm',
      sequence,
      service_type: 'OTP',
      ...toPhone,
      validity_period: '000000001000000R',
      registered_delivery: 1,
      data_coding: 8,
      short_message: Buffer.from([0x06, 0x31, 0x06, 0x45, 0x06, 0x32, 0, 0x20, 0, 0x34, 0, 0x32]),
    },
  },
  {
    hex: '000000158000000400000000000000073441364600',
    pdu: { command: 'submit_sm_resp', sequence, message_id: '4A6F' },
  },
  {
    hex:
      '0000005b00000005000000000000000700010132313335353030303030303100050052616d7a000400000000000000001c' +
      '69643a3441364620737461743a44454c49565244206572723a303030001e000534413646000427000102',
    pdu: {
      command: 'deliver_sm',
      sequence,
      ...fromPhone,
      short_message: Buffer.from('id:4A6F stat:DELIVRD err:000'),
      tlvs: [
        { tag: 0x001e, value: Buffer.from('4A6F\0') },
        { tag: 0x0427, value: Buffer.from([2]) },
      ],
    },
  },
  { hex: '0000001180000005000000000000000700', pdu: { command: 'deliver_sm_resp', sequence } },
  {
    hex: '0000003500000103000000000000000700010132313335353030303030303100050052616d7a000400000424000769643a34413646',
    pdu: {
      command: 'data_sm',
      sequence,
      ...fromPhone,
      tlvs: [{ tag: 0x0424, value: Buffer.from('id:4A6F') }],
    },
  },
  { hex: '000000158000010300000000000000073441364600', pdu: { command: 'data_sm_resp', sequence, message_id: '4A6F' } },
  {
    hex: '0000001c0000000300000000000000073441364600050052616d7a00',
    pdu: { command: 'query_sm', sequence, message_id: '4A6F', source_addr_ton: 5, source_addr: 'Ramz' },
  },
  {
    hex: '0000002880000003000000000000000734413646003236303130323033303430353030302b000200',
    pdu: {
      command: 'query_sm_resp',
      sequence,
      message_id: '4A6F',
      final_date: '260102030405000+',
      message_state: 2,
    },
  },
  {
    hex: '0000002c000000080000000000000007003441364600050052616d7a00010132313335353030303030303100',
    pdu: { command: 'cancel_sm', sequence, message_id: '4A6F', ...toPhone },
  },
  { hex: '00000010800000080000000000000007', pdu: { command: 'cancel_sm_resp', sequence } },
];
