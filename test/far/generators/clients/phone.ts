// What the user sees on the phone, for the log-ins in TypeScript.
import { setTimeout as wait } from 'node:timers/promises';

export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export async function codeOn(to: string): Promise<string> {
  const address = `${required('RAMZ_SANDBOX_URL')}/sandbox/messages?to=${encodeURIComponent(to)}`;
  for (let tries = 0; tries < 600; tries += 1) {
    const { messages } = (await (await fetch(address)).json()) as { messages: { text: string }[] };
    const code = /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0];
    if (code) return code;
    await wait(50);
  }
  throw new Error('no code came');
}
