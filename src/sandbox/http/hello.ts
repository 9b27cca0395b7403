// The first event of `GET /sandbox/events`: everything that the phones page shows, as it stands when the page opens.

import { scenarioNumbers, scenarios } from '../../core/verify/scenarios.ts';
import type { Inbox } from '../inbox.ts';
import type { Moods } from '../moods.ts';
import { sandboxOperatorIds, sandboxProfiles } from '../operators.ts';
import type { Phones } from '../phones/phones.ts';
import type { ServiceAddress } from '../service.ts';
import type { Hello, ReceivedWebhook } from '../views.ts';
import type { WebhookSink } from '../webhooks.ts';

export interface Shown {
  inbox: Inbox;
  sink: WebhookSink;
  moods: Moods;
  phones: Phones | null;
  service: ServiceAddress;
  scenarioPrefix: string;
}

/** Messages, and webhooks. */
const newest = 200;
/** The most that is shown of webhooks, in characters of JSON: any program may post a large one. */
const mostOfWebhooks = 1024 * 1024;

export function helloOf({ inbox, sink, moods, phones, service, scenarioPrefix }: Shown): Hello {
  const numbers = scenarioNumbers(scenarioPrefix);
  return {
    messages: inbox.list({ limit: newest }).reverse(),
    webhooks: fitting(sink.list({ limit: newest })).reverse(),
    calls: phones?.calls.list() ?? [],
    people: phones?.people ?? [],
    moods: moods.list(),
    service: service.shown,
    numbers,
    scenarios: scenarios.map(({ name, description }) => ({ name, number: numbers[name], description })),
    operators: sandboxOperatorIds.map((id) => ({ id, prefixes: sandboxProfiles[id].prefixes })),
  };
}

/** As many of the first webhooks as fit. */
function fitting(webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  let left = mostOfWebhooks;
  return webhooks.filter((webhook) => {
    if (left > 0) left -= JSON.stringify(webhook).length;
    return left > 0;
  });
}
