// @ts-check
// Runs in the browser: what the messages of the platform's window mean. Plain JavaScript; tests import it, too.

const idForm = /^[0-9]{5,20}$/;
/** The end of a signup with the feature `whatsapp_business_app_onboarding`. */
const ofAppUsers = 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING';

/**
 * Reads the data of a message event.
 * @param {unknown} data
 * @returns {null | {kind: 'finished', wabaId: string, phoneNumberId?: string} | {kind: 'no_number'} | {kind: 'canceled'} |
 * {kind: 'failed', code: string}} null: not a message of the signup; without `phoneNumberId` the server finds the account's number
 */
export function readSignupEvent(data) {
  const message = asObject(data);
  if (message?.type !== 'WA_EMBEDDED_SIGNUP' || typeof message.event !== 'string') return null;
  const about = asObject(message.data) ?? {};
  // A problem the business reported comes as ERROR, or in later versions as CANCEL with its code.
  const problem = typeof about.error_message === 'string' || about.error_code !== undefined;
  if (message.event === 'ERROR' || (message.event === 'CANCEL' && problem)) {
    const code = String(about.error_code ?? about.error_id ?? '');
    return { kind: 'failed', code: /^[\w.-]{1,40}$/.test(code) ? code : '' };
  }
  if (message.event === 'CANCEL') return { kind: 'canceled' };
  if (!message.event.startsWith('FINISH')) return null;
  const wabaId = String(about.waba_id ?? '');
  const phoneNumberId = String(about.phone_number_id ?? '');
  if (!idForm.test(wabaId)) return null;
  if (idForm.test(phoneNumberId)) return { kind: 'finished', wabaId, phoneNumberId };
  // The number of a business that keeps using it in its app is there, but it is not named.
  return message.event === ofAppUsers ? { kind: 'finished', wabaId } : { kind: 'no_number' };
}

/** @param {unknown} value JSON text, or an object already */
function asObject(value) {
  try {
    const read = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof read === 'object' && read !== null ? read : null;
  } catch {
    return null; // windows post all kinds of things
  }
}
