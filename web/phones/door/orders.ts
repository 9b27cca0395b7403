// Orders to the sandbox: what a person does at a phone, moods, and clearing. A refusal is an error with the sandbox's words.

import type { MoodName } from './events.ts';

export type Order =
  | { action: 'mood'; of: string; mood: MoodName }
  | { action: 'voice_person'; to: string; present: boolean }
  | { action: 'voice_answer' | 'voice_decline' | 'voice_hang_up'; to: string }
  | { action: 'voice_press'; to: string; key: string };

/** @throws when the sandbox does not answer, or refuses. */
async function ask(path: string, init: RequestInit): Promise<void> {
  const response = await fetch(new URL(path, document.baseURI), init);
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new Error(error ?? `${response.status}`);
}

export const order = (body: Order): Promise<void> =>
  ask('sandbox/control', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export async function clearAll(): Promise<void> {
  await ask('sandbox/messages', { method: 'DELETE' });
  await ask('sandbox/webhooks', { method: 'DELETE' });
}
