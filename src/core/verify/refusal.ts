// A refusal as a value: the answer of the pure parts of a send to a request that can't be done. Only the API turns it into an error.

/** Codes of the contract that depend on the deployment, the account and the number. */
export type RefusalCode =
  | 'invalid_argument'
  | 'invalid_phone_number'
  | 'scenario_number'
  | 'unsupported_destination'
  | 'sender_id_not_approved'
  | 'autofill_not_registered';

export interface Refusal {
  kind: 'refused';
  code: RefusalCode;
  /** The field at fault, by its path on the wire. */
  field: string;
  message: string;
  metadata?: Record<string, string>;
}

/** `problem` is the end of a sentence that begins with the field's name. */
export function refused(code: RefusalCode, field: string, problem: string, metadata?: Refusal['metadata']): Refusal {
  return { kind: 'refused', code, field, message: `${field} ${problem}`, ...(metadata ? { metadata } : {}) };
}
