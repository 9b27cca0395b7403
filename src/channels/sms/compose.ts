// From a message of ours to a submit_sm of one operator: text, alphabet, addresses, validity.

import type { OperatorConfig } from '../../config.ts';
import { smsText } from '../../core/verify/text.ts';
import { encodeText, type PduInput, validityPeriod } from '../../smpp/index.ts';
import type { OutgoingMessage } from '../channel.ts';

export interface Composed {
  pdu: PduInput<'submit_sm'>;
  parts: number;
}

export interface ComposeOptions {
  operator: OperatorConfig;
  /** Name in the text. */
  brand: string;
  now: number;
  /** Default: the operator's own form. */
  validity?: 'relative' | 'absolute' | 'none';
}

/** @throws when the text cannot be made: validation lets no such message in. */
export function compose(message: OutgoingMessage, { operator, brand, now, validity }: ComposeOptions): Composed {
  const { language, code, autofill } = message;
  const text = smsText({ language, code, brand, autofill });
  if (text.kind === 'refused') throw new Error(`no text for message ${message.id}: ${text.reason}`);
  const encoded = encodeText(text.text, operator.defaultAlphabet);
  const { address, dataCoding, serviceType, registeredDelivery } = operator;
  // A late message must still be worth reading: what counts is the session's life, not the leg's.
  const period = validityPeriod(message.expiresAt - now, now, {
    format: validity ?? operator.validity.format,
    granularitySeconds: operator.validity.granularitySeconds,
    timeZone: operator.timeZone,
  });
  return {
    parts: encoded.segments,
    pdu: {
      command: 'submit_sm',
      service_type: serviceType,
      source_addr_ton: address.sourceTon,
      source_addr_npi: address.sourceNpi,
      source_addr: message.senderId ?? '',
      dest_addr_ton: address.destTon,
      dest_addr_npi: address.destNpi,
      destination_addr: message.to.replace('+', ''),
      validity_period: period,
      registered_delivery: registeredDelivery,
      data_coding: encoded.encoding === 'ucs2' ? dataCoding.ucs2 : dataCoding.gsm,
      short_message: encoded.octets,
    },
  };
}
