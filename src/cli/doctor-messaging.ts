// `ramz doctor messaging`: asks the messaging platform whether the deployment's own number can send: token, number, limits, templates,
// callbacks. Nothing is sent and nothing is changed.

import { readFileSync } from 'node:fs';
import { deliverySeconds, platformAccount } from '../channels/whatsapp/account.ts';
import { GraphClient } from '../channels/whatsapp/graph.ts';
import { preflight } from '../channels/whatsapp/preflight.ts';
import { type Config, loadConfig } from '../config.ts';

interface DoctorOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Resolves with the exit code: 0 all is well, 1 something is not, or the configuration can't be read. */
export async function doctorMessaging({ env, say }: DoctorOptions): Promise<number> {
  const loaded = loadConfig({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (loaded.kind === 'invalid') {
    for (const { path, message } of loaded.errors) say(`configuration: ${path} ${message}`);
    return 1;
  }
  return checkMessaging(loaded.config, say);
}

/** The same with a configuration that is read already. */
export async function checkMessaging(
  { messaging, verify }: Pick<Config, 'messaging'> & { verify: Pick<Config['verify'], 'cascade'> },
  say: (line: string) => void,
): Promise<number> {
  if (!messaging) {
    say('WhatsApp is not configured');
    return 1;
  }
  const client = new GraphClient({ connections: 1 });
  try {
    const findings = await preflight({
      ...platformAccount(messaging),
      client,
      app: messaging.signup && { id: messaging.signup.appId, secret: messaging.appSecret },
      deliverWithinSeconds: deliverySeconds(messaging.template.deliverWithinSeconds, verify.cascade),
      now: Date.now(),
    });
    for (const { ok, what, detail } of findings) say(`${ok ? 'ok ' : 'BAD'}  ${what}: ${detail}`);
    return findings.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    await client.close();
  }
}
