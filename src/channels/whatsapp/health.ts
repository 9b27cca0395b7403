// What the platform says of a number before anyone is sent a message: whether it, its account and its business can send, within which
// limits, and how long the token lives. Source: "Health status", "Messaging limits", "Throughput", and the reference of debug_token.

import { z } from 'zod';
import type { WabaHealth } from '../../core/waba/link.ts';

/** Fields of GET /{phone_number_id}. */
export const healthFields =
  'health_status,quality_rating,name_status,throughput,is_on_biz_app,whatsapp_business_manager_messaging_limit';

/** Words of the platform's own; a form that is not the documented one is no reason to know nothing else. */
const word = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .catch('');
/** A text of the platform's, as JSON in the database takes it: no NUL, and no half of a character at the end. */
const text = z
  .string()
  .transform((given) => given.replaceAll('\0', '').slice(0, 500).toWellFormed())
  .catch('');
const listOf = <T>(item: z.ZodType<T>) => z.array(item).max(20).catch([]);

const problemSchema = z.object({ error_code: z.int(), error_description: text, possible_solution: text });
const partSchema = z.object({
  entity_type: word,
  id: z.string().max(64).catch(''),
  can_send_message: word,
  errors: listOf(problemSchema),
  /** In place of `errors` where sending is limited only. */
  additional_info: listOf(text),
});

export const healthSchema = z.object({
  health_status: z
    .object({ can_send_message: word, entities: listOf(partSchema) })
    .catch({ can_send_message: '', entities: [] }),
  quality_rating: word,
  name_status: word,
  throughput: z.object({ level: word }).catch({ level: '' }),
  is_on_biz_app: z.boolean().catch(false),
  whatsapp_business_manager_messaging_limit: word,
});

export type HealthAnswer = z.output<typeof healthSchema>;

/** `tokenExpiresAt`: Unix ms; null = never, or not known. */
export function healthOf(answer: HealthAnswer, tokenExpiresAt: number | null): WabaHealth {
  const { health_status } = answer;
  return {
    canSend: health_status.can_send_message,
    problems: health_status.entities.flatMap(({ entity_type: part, errors, additional_info }) => [
      ...errors.map(({ error_code, error_description, possible_solution }) => ({
        part,
        code: String(error_code),
        text: error_description,
        solution: possible_solution,
      })),
      ...additional_info.filter(Boolean).map((info) => ({ part, code: '', text: info, solution: '' })),
    ]),
    quality: answer.quality_rating,
    nameStatus: answer.name_status,
    messagingLimit: answer.whatsapp_business_manager_messaging_limit,
    throughput: answer.throughput.level,
    isOnBusinessApp: answer.is_on_biz_app,
    tokenExpiresAt,
  };
}

/** States of a registered number: one of low quality, or that has reached a limit, is registered as well. */
const registeredStates: ReadonlySet<string> = new Set(['CONNECTED', 'FLAGGED', 'RESTRICTED', 'RATE_LIMITED']);

/** Whether a number is registered with the Cloud API. To register it once more would need the PIN that it has. */
export const isRegistered = (number: { status?: string | undefined; platform_type?: string | undefined }): boolean =>
  number.platform_type === 'CLOUD_API' && registeredStates.has(number.status ?? '');

/** When a token dies by `debug_token`, Unix ms; 0 there means never. Access to data may end before the token does. */
export function tokenEndOf(data: {
  expires_at?: number | undefined;
  data_access_expires_at?: number | undefined;
}): number | null {
  const ends = [data.expires_at, data.data_access_expires_at].filter((at) => at !== undefined && at > 0) as number[];
  return ends.length === 0 ? null : Math.min(...ends) * 1000;
}
