// A Ramz server with the SS7 gateway as one of its operators, and what its sessions tell. Belongs at the top of a test file.
import { type LocalServer, type TestService, testService } from '../../support/service.ts';
import type { Leg, Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';
import type { Ss7World } from './world.ts';

export interface Ramz {
  service: TestService;
  server: LocalServer;
  /** Waits until every bind of the operator is up. */
  bound(): Promise<unknown>;
  /** Waits until a metric of the server is there, with its value. */
  says(metric: RegExp): Promise<unknown>;
}

/** @param down seconds without a bind after which the operator is down */
export async function ramzBefore({ operator }: Ss7World, { down = 1 } = {}): Promise<Ramz> {
  // Gateways are killed here.
  const service = await testService({ errorsExpected: true });
  const { sandbox } = service;
  const reconnect = { min_seconds: 0.2, max_seconds: 1, bind_failed_seconds: 0.5 };
  const entry = { ...operator, reconnect, down_after_seconds: down };
  service.configure({ messaging: sandbox.messaging, operators: [...sandbox.operators, entry] });
  const server = await service.startHere();
  const callback = `${server.http}/v1/callbacks/messaging`;
  await sandbox.platform.subscriptions.subscribe(callback, sandbox.messagingIdentity.verifyToken);
  const bound = () =>
    until(
      async () => {
        const { operators } = (await (await fetch(`${server.metrics}/readyz`)).json()) as {
          operators: { operator: string; binds_bound: number }[];
        };
        return operators.find(({ operator: id }) => id === operator.id)?.binds_bound === 2;
      },
      { what: 'both binds' },
    );
  const says = (metric: RegExp) =>
    until(async () => metric.test(await (await fetch(`${server.metrics}/metrics`)).text()), { what: String(metric) });
  await bound();
  return { service, server, bound, says };
}

/** A leg by SMS, and one by WhatsApp behind it that delivers. */
export const cascade = (smsSeconds: number): Leg[] => [
  { channel: 'sms', timeout_seconds: smsSeconds },
  { channel: 'whatsapp', timeout_seconds: 60 },
];

/** How a timeline ends where the second leg of `cascade` has brought the code. */
export const byApp = [
  'leg_started whatsapp',
  'receipt_received whatsapp ACCEPTD',
  'receipt_received whatsapp DELIVRD',
  'delivery_delivered',
];

/** Its timeline in words, without what comes at a moment of its own beside the rest: the answers to submissions. */
export const words = ({ timeline }: Session): string[] =>
  timeline
    .filter(({ kind }) => !['session_opened', 'message_submitted'].includes(kind))
    .map((entry) => {
      const { kind, channel, reason, detail } = entry as typeof entry & { detail?: string };
      return [kind, channel, reason, detail].filter(Boolean).join(' ');
    });

export const isOver = ({ delivery }: Session): boolean => delivery === 'delivered' || delivery === 'exhausted';
