// Engines on a real database whose WhatsApp channel talks to a Graph API on loopback.
import { afterAll } from 'vitest';
import { type AppAccount, platformAccount } from '../../../src/channels/whatsapp/account.ts';
import { type AppObserver, WhatsAppChannel } from '../../../src/channels/whatsapp/whatsapp.ts';
import type { Channel as ChannelName, Session } from '../../../src/core/verify/session.ts';
import type { Database } from '../../../src/db/client.ts';
import { ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { callbackBody, type GraphRequest, type graphServer, type StatusChange } from '../../support/graph.ts';
import { until } from '../../support/wait.ts';

const phoneNumberId = '106540352242922';
/** A business's own: its statuses are ours to hear of, too. */
export const otherNumberId = '200002';

/** A number of a business's own. */
export const ownNumberId = '300003';

export type Graph = Awaited<ReturnType<typeof graphServer>>;
type EngineOptions = NonNullable<Parameters<typeof testEngine>[1]> & {
  /** Messages go out from `ownNumberId` first. */
  hasOwnNumber?: boolean;
};

/** One process: SMS does as scripted, the app is ours, there is no voice. */
export async function appEngine(
  database: Database<unknown>,
  graph: Graph,
  { hasOwnNumber = false, ...options }: EngineOptions = {},
) {
  const sms = new ScriptedChannel();
  const made = await testEngine(database, { sms, ...options });
  const ignored: [string, number][] = [];
  const observer: AppObserver = { ignored: (what, count) => ignored.push([what, count]) };
  const account = platformAccount({
    graphBaseUrl: graph.url,
    graphVersion: 'v25.0',
    phoneNumberId,
    accessToken: 'token',
    responseTimeoutMs: 5_000,
    appSecret: 'app-secret',
    verifyToken: 'verify',
    ratePerSecond: 1000,
    pairIntervalSeconds: 6,
    signup: null,
    template: { deliverWithinSeconds: null, name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en' } },
    tariff: [{ version: '1', validFrom: '2026-01-01T00:00:00Z', currency: 'DZD', amount: '1.20', charged: 'delivery' }],
  });
  const known = new Set([phoneNumberId, otherNumberId]);
  const own: AppAccount = { ...account, phoneNumberId: ownNumberId, ownerName: 'Shop', billedBy: 'platform' };
  const numbers = () => (hasOwnNumber ? [own, account] : [account]);
  const app = new WhatsAppChannel({
    accountsFor: numbers,
    accountOf: (id) => numbers().find((number) => number.phoneNumberId === id) ?? null,
    platform: () => account,
    billingOf: (id) => (id === ownNumberId ? own : known.has(id) ? account : null),
    platformName: () => 'Ramz',
    onTokenRefused: () => {},
    onAccountChange: async () => {},
    intake: made.engine.receipts,
    now: Date.now,
    observer,
  });
  made.channels.setLive('whatsapp', app);
  afterAll(() => app.close());
  const { engine } = made;

  const load = async ({ accountId, id }: { accountId: string; id: string }): Promise<Session> => {
    const session = (await engine.store.load({ accountId, id }))?.session;
    if (!session) throw new Error(`no session ${id}`);
    return session;
  };
  return {
    ...made,
    sms,
    app,
    ignored,
    known,
    load,
    /** Sends through these legs. */
    async send(legs: ChannelName[], change: Parameters<typeof sendRequest>[0] = {}): Promise<Session> {
      const cascade = legs.map((channel) => ({ channel, timeoutMs: 15_000 }));
      const result = await engine.starter.sendSettled(sendRequest({ cascade, ...change }));
      if (result.kind !== 'sent') throw new Error(JSON.stringify(result));
      return result.session;
    },
    /** Waits until the session is as wanted. */
    when: (session: Session, what: string, wanted: (now: Session) => boolean): Promise<Session> =>
      until(
        async () => {
          const loaded = await load(session);
          return wanted(loaded) && loaded;
        },
        { what },
      ),
    /** What the platform calls back with. */
    status: (...changes: StatusChange[]) => app.takeCallback(callbackBody(phoneNumberId, ...changes)),
    /** The same, about the business's own number. */
    ownStatus: (...changes: StatusChange[]) => app.takeCallback(callbackBody(ownNumberId, ...changes)),
    /** The request of this session's message, once it has come. */
    request: (session: Session): Promise<GraphRequest> =>
      until(() => graph.requests.find(({ body }) => body.to === session.to.slice(1)), { what: 'the request' }),
  };
}

/** A timeline in words. */
export const story = ({ timeline }: Session): string[] =>
  timeline.map(({ kind, channel, reason, detail }) => [kind, channel, reason, detail].filter(Boolean).join(' '));
