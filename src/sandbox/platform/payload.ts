// The bodies of the platform's webhooks. Pure. Changes that go out together share what they can, as the documentation
// allows: several entries, several changes, several statuses in one.

export interface Change {
  /** The business account it is about. */
  wabaId: string;
  /** Id of the webhook's entry where it is not the account's. */
  entryId?: string;
  /** `messages`, `account_update`, `message_template_status_update` … */
  field: string;
  value: Record<string, unknown>;
  /** Unix ms. */
  at: number;
  /** Of a message's status, the id of the message. */
  wamid?: string;
}

interface Entry {
  id: string;
  time: number;
  changes: { value: Record<string, unknown>; field: string }[];
}

export function payloadOf(changes: readonly Change[]): Record<string, unknown> {
  const entries = new Map<string, Entry>();
  for (const { wabaId, entryId = wabaId, field, value, at } of changes) {
    const entry = entries.get(entryId) ?? { id: entryId, time: Math.floor(at / 1000), changes: [] };
    entries.set(entryId, entry);
    const same = entry.changes.find((other) => isSameNumber(other, { field, value }));
    if (same) same.value.statuses = [...(same.value.statuses as unknown[]), ...(value.statuses as unknown[])];
    else entry.changes.push({ value: { ...value }, field });
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()] };
}

function isSameNumber(a: { field: string; value: Record<string, unknown> }, b: typeof a): boolean {
  if (a.field !== 'messages' || b.field !== 'messages' || !a.value.statuses || !b.value.statuses) return false;
  const id = (value: Record<string, unknown>) => (value.metadata as { phone_number_id?: string }).phone_number_id;
  return id(a.value) === id(b.value);
}

/**
 * The platform writes its JSON with escaped slashes and nothing but ASCII: whoever checks the signature over JSON written
 * anew, instead of over the bytes, fails.
 */
export function bytesOf(payload: Record<string, unknown>): Buffer {
  const text = JSON.stringify(payload)
    .replace(/\//g, '\\/')
    .replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(text, 'ascii');
}
