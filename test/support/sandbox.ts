// The sandbox inside the test's own process, and what a tester sees there: the phones and the customer's webhook endpoint.
// Belongs at the top of a test file; it ends with the file.
import { afterAll } from 'vitest';
import { serverVoices } from '../../src/cli/sandbox.ts';
import { runSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/main.ts';
import type { InboxMessage } from '../../src/sandbox/views.ts';
import { until } from './wait.ts';

/** The body of a webhook about a session, as far as tests look at it. */
export interface WebhookBody {
  id: string;
  type: string;
  account_id: string;
  test: boolean;
  session_sequence: number;
  data: {
    session_id: string;
    to?: string;
    message_id?: string;
    status?: string;
    cost?: WebhookCost;
    message?: { id: string; status: string; cost?: WebhookCost };
    session?: { to: string; status: string };
  };
}

export interface WebhookCost {
  amount: string;
  currency: string;
  source: string;
  final: boolean;
  revision: number;
}

export interface TestSandbox extends Sandbox {
  /** What reached the number by SMS, newest first. */
  smsTo(to: string): InboxMessage[];
  /** Waits for an SMS to the number and reads the code in it, as its owner would. */
  codeTo(to: string): Promise<string>;
  /**
   * Waits until the endpoint has taken this many different events of the session; returns them in the order of
   * `session_sequence`. A repeated delivery counts once.
   * @throws when one of them was not well signed, or one sequence number came under two ids.
   */
  eventsOf(sessionId: string, atLeast: number): Promise<WebhookBody[]>;
  /** The first one of each event id, in order of arrival; of all sessions. */
  events(): WebhookBody[];
}

export async function testSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await runSandbox({ voices: serverVoices(), ...options });
  afterAll(() => sandbox.stop());
  const { inbox, sink } = sandbox;
  const smsTo = (to: string) => inbox.list({ to, channel: 'sms' });

  const eventsOf = async (sessionId: string, atLeast: number) => {
    const what = `${atLeast} webhooks of ${sessionId}`;
    const taken = () => unique(sink.list({ sessionId }).filter(({ answered }) => answered < 300));
    const bodies = await until(
      () => {
        const found = taken();
        if (found.length < atLeast) throw new Error(`there are ${found.map(({ type }) => type).join(', ') || 'none'}`);
        return found;
      },
      { what },
    );
    if (sink.list({ sessionId }).some(({ verified }) => !verified)) throw new Error(`${what}: a signature is wrong`);
    const sequences = bodies.map(({ session_sequence }) => session_sequence);
    if (new Set(sequences).size < sequences.length) throw new Error(`${what}: two events with one session_sequence`);
    return bodies.sort((a, b) => a.session_sequence - b.session_sequence);
  };

  return {
    ...sandbox,
    smsTo,
    codeTo: async (to) => {
      const message = await until(() => smsTo(to)[0], { what: `an SMS to ${to}` });
      const code = /(?<!\d)\d{4,10}(?!\d)/.exec(message.text)?.[0];
      if (code === undefined) throw new Error(`no code in "${message.text}"`);
      return code;
    },
    eventsOf,
    events: () => unique(sink.list()),
  };
}

/** Deliveries of the sink are newest first. */
function unique(deliveries: readonly { event: unknown }[]): WebhookBody[] {
  const byId = new Map<string, WebhookBody>();
  for (const { event } of deliveries.toReversed()) {
    const body = event as WebhookBody;
    if (!byId.has(body.id)) byId.set(body.id, body);
  }
  return [...byId.values()];
}
