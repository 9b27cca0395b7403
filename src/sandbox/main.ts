// The sandbox as a whole: three SMSCs, the messaging platform, the phones, the inbox, the webhook sink, and one HTTP port. It is a process
// of its own, so that it outlives the server under test.

import { type Clock, systemClock } from './clock.ts';
import { Feed } from './feed.ts';
import { Events } from './http/events.ts';
import { helloOf } from './http/hello.ts';
import type { Pages } from './http/pages.ts';
import { routes } from './http/routes.ts';
import { type HttpServer, listen } from './http/server.ts';
import { Inbox } from './inbox.ts';
import { Moods } from './moods.ts';
import {
  type SandboxOperatorId,
  SCENARIO_PREFIX,
  sandboxOperatorIds,
  sandboxOperators,
  sandboxProfiles,
} from './operators.ts';
import type { Credentials } from './phones/digest.ts';
import { type Bank, ownBanks } from './phones/digits.ts';
import { type Phones, startPhones } from './phones/phones.ts';
import { sandboxVoice } from './phones/trunk.ts';
import { messagingConfig, type PlatformIdentity } from './platform/accounts.ts';
import type { SendLimits } from './platform/messages.ts';
import { GRAPH, Platform } from './platform/platform.ts';
import { ServiceAddress } from './service.ts';
import { type Smsc, startSmsc } from './smsc/smsc.ts';
import { WebhookSink } from './webhooks.ts';

export interface SandboxOptions {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default 0: any free port. */
  httpPort?: number | undefined;
  /** Default 0 each. */
  smscPorts?: Partial<Record<SandboxOperatorId, number>> | undefined;
  /** Secrets (`whsec_…`) of the sink's `default` endpoint; `POST /sandbox/secrets` sets them later. Default: none, so that every webhook is 401. */
  webhookSecrets?: readonly string[] | undefined;
  /** From submit to receipt, instead of the scenario table's. Milliseconds. */
  deliverDelayMs?: number | undefined;
  /** The same for receipts that come after the leg's timeout. Milliseconds. */
  lateReceiptMs?: number | undefined;
  /** Where the messaging platform posts its webhooks, once the address has answered the challenge. Default: nowhere, see `messaging_callback`. */
  messagingCallbackUrl?: string | undefined;
  /** Default: the documented ones. */
  messagingLimits?: SendLimits | undefined;
  /** Voices whose digits phones recognise, beside those of the repository. */
  voices?: readonly Bank[] | undefined;
  /** Where recorded prompts are written, a folder a language. Default: `.data/prompts`. */
  promptsFolder?: string | undefined;
  /** The phones page, built. Default: none, and a page says so. */
  pages?: Pages | undefined;
  clock?: Clock | undefined;
}

/** The account at the trunk: it demands one, as a real trunk does. */
const credentials: Credentials = { username: 'ramz-trunk', password: 'trunk-pw' };

export interface Sandbox {
  httpUrl: string;
  /** Where webhooks may be posted: the sink's `default` endpoint. */
  webhookUrl: string;
  smscPorts: Record<SandboxOperatorId, number>;
  smscs: Record<SandboxOperatorId, Smsc>;
  /** The `operators` of a configuration file that fits. */
  operators: Record<string, unknown>[];
  /** The `messaging` section of a configuration file that fits; `graph_base_url` is where the platform's API is. */
  messaging: Record<string, unknown>;
  /** The `voice` section of a configuration file that fits; null without phones. */
  voice: Record<string, unknown> | null;
  /** Ids and secrets at the messaging platform. */
  messagingIdentity: PlatformIdentity;
  scenarioPrefix: string;
  inbox: Inbox;
  sink: WebhookSink;
  platform: Platform;
  /** Null where the package of their SIP stack is not installed. */
  phones: Phones | null;
  /** What the sandbox has to do without, for the person who starts it. */
  warnings: string[];
  /** Cuts every connection and closes every port; nothing of the sandbox is left in the process. */
  stop(): Promise<void>;
}

/** @throws when a port is taken, or the callback address does not answer the challenge; nothing is left running then. */
export async function runSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', clock = systemClock } = options;
  const feed = new Feed();
  const inbox = new Inbox(undefined, feed);
  const sink = new WebhookSink(clock, undefined, feed);
  const service = new ServiceAddress(feed);
  sink.setSecrets('default', options.webhookSecrets ?? []);

  const platform = new Platform({
    clock,
    inbox,
    scenarioPrefix: SCENARIO_PREFIX,
    deliverDelayMs: options.deliverDelayMs,
    limits: options.messagingLimits,
  });

  const started: Smsc[] = [];
  let http: HttpServer | undefined;
  let phones: Phones | null = null;
  let events: Events | undefined;
  let httpUrl = '';
  const stop = async () => {
    events?.stop();
    await Promise.all([http?.close(), platform.stop(), phones?.stop(), ...started.map((smsc) => smsc.stop())]);
  };
  try {
    for (const id of sandboxOperatorIds) {
      const smsc = startSmsc({
        profile: sandboxProfiles[id],
        inbox,
        host,
        port: options.smscPorts?.[id],
        scenarioPrefix: SCENARIO_PREFIX,
        deliverDelayMs: options.deliverDelayMs,
        lateReceiptMs: options.lateReceiptMs,
        clock,
      });
      started.push(await smsc);
    }
    const calls = await startPhones({
      inbox,
      host,
      scenarioPrefix: SCENARIO_PREFIX,
      credentials,
      banks: [...ownBanks(), ...(options.voices ?? [])],
      // The port of HTTP is known before the first call can come.
      recordingUrl: (id) => `${httpUrl}/sandbox/recordings/${id}.wav`,
      feed,
      clock,
    });
    phones = calls.kind === 'up' ? calls.phones : null;
    const warnings = calls.kind === 'up' ? [] : [calls.reason];
    const prefixes = sandboxOperatorIds.flatMap((id) => sandboxProfiles[id].prefixes);
    const voice = phones && sandboxVoice({ host, port: phones.port, credentials, prefixes });
    const smscs = byId(started);
    const smscPorts = { atlas: smscs.atlas.port, sahara: smscs.sahara.port, djurdjura: smscs.djurdjura.port };
    const operators = sandboxOperators(smscPorts, { host });
    // Filled in once the port is known, which is before the first request can arrive.
    const messaging: Record<string, unknown> = {};
    const parts = { inbox, sink, operators, messaging, scenarioPrefix: SCENARIO_PREFIX, platform, phones, voice };
    const { promptsFolder = '.data/prompts', pages = null } = options;
    const moods = new Moods({ smscs: started, platform, phones }, feed);
    const shown = { inbox, sink, moods, phones, service, scenarioPrefix: SCENARIO_PREFIX };
    events = new Events({ feed, clock, hello: () => helloOf(shown), onAlone: () => phones?.leave() });
    const door = routes({ ...parts, smscs: started, promptsFolder, pages, moods, events, service });
    http = await listen(door, host, options.httpPort ?? 0);
    httpUrl = `http://${host}:${http.port}`;
    const webhookUrl = `${httpUrl}/sandbox/webhook`;
    Object.assign(messaging, messagingConfig(platform.identity, httpUrl + GRAPH));
    if (options.messagingCallbackUrl !== undefined) await subscribe(platform, options.messagingCallbackUrl);
    return { ...parts, httpUrl, webhookUrl, smscPorts, smscs, messagingIdentity: platform.identity, warnings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function subscribe({ identity, subscriptions }: Platform, url: string): Promise<void> {
  const verification = await subscriptions.subscribe(url, identity.verifyToken);
  if (verification.kind === 'failed') throw new Error(`${url}: ${verification.why}`);
}

function byId(smscs: readonly Smsc[]): Record<SandboxOperatorId, Smsc> {
  return Object.fromEntries(smscs.map((smsc) => [smsc.id, smsc])) as Record<SandboxOperatorId, Smsc>;
}
