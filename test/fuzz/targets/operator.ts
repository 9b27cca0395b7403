// An operator as the targets need one: every reading of receipts that can be configured is in it.
import { config, operator as entry } from '../../unit/config/sources.ts';

const file = {
  operators: [
    entry({
      message_id: { rule: 'answer_hex_receipt_decimal' },
      cost_tlv: { tag: 0x1403, format: 'ascii_decimal', currency: 'DZD' },
      receipt: { message_states: { 99: 'DELIVRD' }, meanings: { 'UNDELIV/027': 'EXPIRED' } },
    }),
  ],
};

export const settings = config(file);
export const operator = settings.operators[0]!;
