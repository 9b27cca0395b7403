// What the platform calls back with about accounts: a business has taken its account back, or something happened to a
// template. Fields `account_update` and `message_template_status_update`.

import { z } from 'zod';

export type AccountChange =
  /** `toldAt`: Unix ms, in whole seconds; callbacks are repeated for days. */
  | { kind: 'uninstalled'; wabaId: string; toldAt: number }
  /** Which template and how it stands is not taken from here: callbacks overtake each other. It is asked for. */
  | { kind: 'templates'; wabaId: string };

/** After any of these the account is not ours to use. */
const endings = ['PARTNER_APP_UNINSTALLED', 'PARTNER_REMOVED', 'ACCOUNT_DELETED'] as const;

const idSchema = z.string().regex(/^\d{1,32}$/);
const endingSchema = z.object({ event: z.enum(endings), waba_info: z.object({ waba_id: idSchema }) });
const entrySchema = z.object({ id: idSchema });
const timeSchema = z.int().min(0).max(99_999_999_999);

/** Null: not one of these. */
export function readAccountChange(
  field: string,
  value: unknown,
  entry: { id?: string | undefined; time?: number | undefined },
): AccountChange | null {
  if (field === 'message_template_status_update') {
    const { data } = entrySchema.safeParse(entry);
    return data ? { kind: 'templates', wabaId: data.id } : null;
  }
  if (field !== 'account_update') return null;
  const ending = endingSchema.safeParse(value);
  const time = timeSchema.safeParse(entry.time);
  if (!ending.success || !time.success) return null;
  return { kind: 'uninstalled', wabaId: ending.data.waba_info.waba_id, toldAt: time.data * 1000 };
}
