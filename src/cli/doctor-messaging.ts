// `ramz doctor messaging`: asks the messaging platform whether the deployment's own number can send: token, number, limits, templates,
// callbacks; and how many people it has written to. Nothing is sent and nothing is changed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deliverySeconds, platformAccount } from '../channels/whatsapp/account.ts';
import { GraphClient } from '../channels/whatsapp/graph.ts';
import { preflight, type Recipients } from '../channels/whatsapp/preflight.ts';
import type { Config } from '../config.ts';
import { databaseProblem } from '../db/connections/problem.ts';
import { withSchema } from '../db/schema.ts';
import { recipientsOf } from '../db/waba/recipients.ts';
import type { VerbOptions } from './command.ts';
import { besideSandbox, notConfigured, readConfig, withDatabase } from './database.ts';

/** Resolves with the exit code: 0 all is well, 1 something is not. @throws Refusal when the configuration can't be read. */
export async function doctorMessaging(options: VerbOptions): Promise<number> {
  const { env, say } = options;
  const config = readConfig(besideSandbox(env));
  const { messaging } = config;
  const recipients = messaging && (await countedRecipients(options, messaging.phoneNumberId));
  return checkMessaging(config, say, recipients);
}

const dayMs = 24 * 60 * 60_000;

/** People that the number has written to in 24 hours; null where there is no database to read: none is made for this. A text says why it can't be read. */
async function countedRecipients(options: VerbOptions, phoneNumberId: string): Promise<Recipients> {
  const { env } = options;
  const isNamed = Boolean(env.DATABASE_URL || env.DATABASE_URL_FILE);
  if (!isNamed && !existsSync(join(env.RAMZ_DATA || '.data', 'postgres'))) return null;
  const since = new Date(Date.now() - dayMs);
  const counted = withDatabase(options, 'ramz doctor', ({ database }) =>
    recipientsOf(withSchema(database.db), phoneNumberId, since),
  );
  return counted.catch((error: Error) => databaseProblem(error, env) ?? error.message);
}

/** Makes the checks with a configuration that is read already. */
export async function checkMessaging(
  { messaging, verify }: Pick<Config, 'messaging'> & { verify: Pick<Config['verify'], 'cascade'> },
  say: (line: string) => void,
  recipients: Recipients,
): Promise<number> {
  if (!messaging) {
    say(notConfigured('no WhatsApp'));
    return 1;
  }
  const client = new GraphClient({ connections: 1 });
  try {
    const findings = await preflight({
      ...platformAccount(messaging),
      client,
      app: messaging.signup && { id: messaging.signup.appId, secret: messaging.appSecret },
      deliverWithinSeconds: deliverySeconds(messaging.template.deliverWithinSeconds, verify.cascade),
      recipients,
      now: Date.now(),
    });
    for (const { ok, what, detail } of findings) say(`${ok ? 'ok ' : 'BAD'}  ${what}: ${detail}`);
    return findings.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    await client.close();
  }
}
