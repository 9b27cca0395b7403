// The sandbox as a whole: three SMSCs, the inbox, the webhook sink, and one HTTP port. A process of its own beside the
// server, which it outlives. The messaging platform and the phones, when they come, put into the same inbox.

import { type Clock, systemClock } from './clock.ts';
import { routes } from './http/routes.ts';
import { type HttpServer, listen } from './http/server.ts';
import { Inbox } from './inbox.ts';
import {
  type SandboxOperatorId,
  SCENARIO_PREFIX,
  sandboxOperatorIds,
  sandboxOperators,
  sandboxProfiles,
} from './operators.ts';
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
  clock?: Clock | undefined;
}

export interface Sandbox {
  httpUrl: string;
  /** Where webhooks may be posted: the sink's `default` endpoint. */
  webhookUrl: string;
  smscPorts: Record<SandboxOperatorId, number>;
  smscs: Record<SandboxOperatorId, Smsc>;
  /** The `operators` of a configuration file that fits. */
  operators: Record<string, unknown>[];
  scenarioPrefix: string;
  inbox: Inbox;
  sink: WebhookSink;
  /** Cuts every connection and closes every port; nothing of the sandbox is left in the process. */
  stop(): Promise<void>;
}

/** @throws when a port is taken; nothing is left running then. */
export async function runSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', clock = systemClock } = options;
  const inbox = new Inbox();
  const sink = new WebhookSink(clock);
  sink.setSecrets('default', options.webhookSecrets ?? []);

  const started: Smsc[] = [];
  let http: HttpServer | undefined;
  const stop = async () => {
    await Promise.all([http?.close(), ...started.map((smsc) => smsc.stop())]);
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
    const smscs = byId(started);
    const smscPorts = { atlas: smscs.atlas.port, sahara: smscs.sahara.port, djurdjura: smscs.djurdjura.port };
    const operators = sandboxOperators(smscPorts, { host });
    const handler = routes({ inbox, sink, smscs: started, operators, scenarioPrefix: SCENARIO_PREFIX });
    http = await listen(handler, host, options.httpPort ?? 0);
    const httpUrl = `http://${host}:${http.port}`;
    const webhookUrl = `${httpUrl}/sandbox/webhook`;
    return { httpUrl, webhookUrl, smscPorts, smscs, operators, scenarioPrefix: SCENARIO_PREFIX, inbox, sink, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function byId(smscs: readonly Smsc[]): Record<SandboxOperatorId, Smsc> {
  return Object.fromEntries(smscs.map((smsc) => [smsc.id, smsc])) as Record<SandboxOperatorId, Smsc>;
}
