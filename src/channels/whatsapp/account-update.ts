// A change of a business's account in the platform's callbacks: field `account_update`, and the reviews of its templates.

import { z } from 'zod';

export type AccountChange =
  /** `reportedAt`: Unix ms, in whole seconds; callbacks are repeated for days. */
  | { kind: 'uninstalled'; wabaId: string; reportedAt: number }
  /** A template's status has changed. Callbacks overtake each other, so the new status is read from the platform, not from here. */
  | { kind: 'templates'; wabaId: string };

/** Events after which the account is no longer ours to use. */
const endings = ['PARTNER_APP_UNINSTALLED', 'PARTNER_REMOVED', 'ACCOUNT_DELETED'] as const;

const idSchema = z.string().regex(/^\d{1,32}$/);
const endingSchema = z.object({ event: z.enum(endings), waba_info: z.object({ waba_id: idSchema }) });
const entrySchema = z.object({ id: idSchema });
const timeSchema = z.int().min(0).max(99_999_999_999);

/** The change of an account in one entry; null where it holds none. */
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
  return { kind: 'uninstalled', wabaId: ending.data.waba_info.waba_id, reportedAt: time.data * 1000 };
}
