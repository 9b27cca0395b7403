// The sandbox's three operators, made up, each with habits that real SMSCs have: how they write ids, dates, receipts and prices.
// Beside each habit stands the setting of the server's configuration file that copes with it.

import { COST_TLV } from './smsc/codec.ts';
import { decimalThenHex, hexThenDecimal, lettersThenLowerCase, type ReceiptStyle } from './smsc/receipt.ts';
import type { SubmitRules } from './smsc/submit.ts';

/** The habits in which one operator's SMSC differs from another's. */
export interface SmscProfile extends SubmitRules {
  /** The operator's id in the server's configuration. */
  id: string;
  name: string;
  /** The one account this SMSC knows. */
  systemId: string;
  password: string;
  receipt: ReceiptStyle;
}

export const sandboxOperatorIds = ['atlas', 'sahara', 'djurdjura'] as const;

export type SandboxOperatorId = (typeof sandboxOperatorIds)[number];

/** The scenario numbers are Atlas's. */
export const SCENARIO_PREFIX = '+21355';

const CURRENCY = 'DZD';

/** Ids hex in the answer and padded decimal in the receipt; plain text receipts without a price, 10-digit dates. */
const atlas: SmscProfile = {
  id: 'atlas',
  name: 'Atlas',
  prefixes: ['+21355'],
  systemId: 'ramz-atlas',
  password: 'atlas-pw',
  alphabet: 'gsm7',
  validity: ['relative', 'absolute'],
  receipt: {
    ids: hexThenDecimal,
    timeZone: 'Africa/Algiers',
    dates: 'YYMMDDhhmm',
    carrier: 'short_message',
    tlvs: false,
    counters: true,
    echo: 'octets',
    errors: {},
    cost: null,
  },
};

/** Receipts with TLVs, one of them the price; ids in lower case in receipts; dates in UTC with seconds. */
const sahara: SmscProfile = {
  id: 'sahara',
  name: 'Sahara',
  prefixes: ['+21366'],
  systemId: 'ramz-sahara',
  password: 'sahar-pw',
  alphabet: 'gsm7',
  validity: ['relative', 'absolute'],
  receipt: {
    ids: lettersThenLowerCase,
    timeZone: 'UTC',
    dates: 'YYMMDDhhmmss',
    carrier: 'short_message',
    tlvs: true,
    counters: true,
    echo: 'none',
    errors: { UNDELIV: '027' },
    cost: '4.1875',
  },
};

/**
 * Ids decimal in the answer and hex in the receipt; receipts by turns in message_payload and data_sm, without sub and
 * dlvrd, with letters in err and the year in full; Latin-1 under data_coding 0; takes no relative validity_period.
 */
const djurdjura: SmscProfile = {
  id: 'djurdjura',
  name: 'Djurdjura',
  prefixes: ['+21377'],
  systemId: 'ramz-djurdjura',
  password: 'djurd-pw',
  alphabet: 'latin1',
  validity: ['absolute'],
  receipt: {
    ids: decimalThenHex,
    timeZone: 'Africa/Algiers',
    dates: 'YYYYMMDDhhmm',
    carrier: 'payload_or_data_sm',
    tlvs: false,
    counters: false,
    echo: 'characters',
    errors: { DELIVRD: '0000', UNDELIV: 'a1f', DELETED: 'c0d', EXPIRED: 'e05', REJECTD: 'd1e' },
    cost: null,
  },
};

export const sandboxProfiles: Readonly<Record<SandboxOperatorId, SmscProfile>> = { atlas, sahara, djurdjura };

/** The settings of the server's configuration file that, beyond the connection, let it understand each operator. */
const settings: Readonly<Record<SandboxOperatorId, Record<string, unknown>>> = {
  atlas: {
    message_id: { rule: 'answer_hex_receipt_decimal', strip_leading_zeros: true },
    receipt: { date_format: 'YYMMDDhhmm' },
    error_codes: { '000': 'delivered', '001': 'absent subscriber' },
    tariff: [tariff('3.50', 'delivery')],
  },
  sahara: {
    message_id: { rule: 'same', case_insensitive: true },
    receipt: { date_format: 'YYMMDDhhmmss' },
    error_codes: { '000': 'delivered', '027': 'absent subscriber' },
    tariff: [tariff('4.20', 'delivery')],
    cost_tlv: { tag: COST_TLV, format: 'ascii_decimal', currency: CURRENCY },
  },
  djurdjura: {
    message_id: { rule: 'answer_decimal_receipt_hex', case_insensitive: true },
    default_alphabet: 'latin1',
    validity: { format: 'absolute' },
    error_codes: { '0000': 'delivered', a1f: 'absent subscriber', c0d: 'deleted' },
    tariff: [tariff('3.90', 'submit')],
  },
};

/**
 * The `operators` of a configuration file (RAMZ_CONFIG) for SMSCs on these ports of `host` (default 127.0.0.1): plain
 * JSON. Rates and windows are wide, so that load can be tried.
 */
export function sandboxOperators(
  ports: Readonly<Record<SandboxOperatorId, number>>,
  { host = '127.0.0.1' }: { host?: string } = {},
): Record<string, unknown>[] {
  return sandboxOperatorIds.map((id) => {
    const { name, prefixes, systemId, password, receipt } = sandboxProfiles[id];
    const type = id === 'sahara' ? 'transmitter_receiver' : 'transceiver';
    return {
      id,
      name,
      prefixes: [...prefixes],
      binds: [{ host, port: ports[id], system_id: systemId, password, type, count: 2 }],
      window: 100,
      rate_per_second: 3000,
      time_zone: receipt.timeZone,
      ...settings[id],
    };
  });
}

function tariff(amount: string, charged: 'submit' | 'delivery'): Record<string, unknown> {
  return { version: 'sandbox-1', valid_from: '2020-01-01T00:00:00+01:00', currency: CURRENCY, amount, charged };
}
