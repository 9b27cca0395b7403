// /{phone_number_id}/register and /deregister: a number is put to use with its two-step verification PIN.

import type { Response } from '../http/server.ts';
import type { PhoneNumber } from './accounts.ts';
import { type GraphCall, missing, success } from './call.ts';
import { graphError } from './errors.ts';

/** Documented: ten calls within 72 hours. The sandbox never forgets them. */
const MAX_REGISTRATIONS = 10;

export function register(phone: PhoneNumber, { params }: GraphCall): Response {
  if (params.messaging_product === undefined) return missing('messaging_product');
  if (params.messaging_product !== 'whatsapp') {
    return graphError(100, { message: '(#100) Param messaging_product must be one of {whatsapp}.' });
  }
  const { pin } = params;
  if (pin === undefined) return missing('pin');
  if (typeof pin !== 'string' || !/^\d{6}$/.test(pin)) {
    return graphError(131009, { details: `Parameter 'pin' must be six digits as text.` });
  }
  const limited = countCall(phone);
  if (limited) return limited;
  if (phone.pin !== null && phone.pin !== pin) {
    return graphError(133005, { details: 'The PIN is not the one that was set before.' });
  }
  phone.pin = pin;
  phone.status = 'CONNECTED';
  return success;
}

/** The PIN stays: registering again needs it. */
export function deregister(phone: PhoneNumber): Response {
  const limited = countCall(phone);
  if (limited) return limited;
  phone.status = 'DISCONNECTED';
  return success;
}

function countCall(phone: PhoneNumber): Response | null {
  phone.registrations += 1;
  if (phone.registrations <= MAX_REGISTRATIONS) return null;
  return graphError(133016, { details: `More than ${MAX_REGISTRATIONS} calls for this number.` });
}
