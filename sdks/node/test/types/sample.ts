// What users write, held to strict TypeScript: it must compile, and every `@ts-expect-error` must be one.
import {
  ApiError,
  type CallOptions,
  Channel,
  type CheckResponse,
  ErrorCode,
  type List,
  NotFoundError,
  type Page,
  Ramz,
  type ResponseInfo,
  type SendRequest,
  SessionStatus,
  type SessionSummary,
  SignatureError,
  type WatchOptions,
  type WebhookEvent,
  webhooks,
} from '@ramz/sdk';
import { FakeRamz } from '@ramz/sdk/testing';

export async function login(ramz: Ramz, to: string): Promise<boolean> {
  const request: SendRequest = { to, channel: Channel.sms, cascade: [{ channel: 'voice', timeoutSeconds: 45 }] };
  const { id, expiresAt } = await ramz.verify.send(request, { idempotencyKey: 'a', timeoutMs: 1000, maxRetries: 0 });
  const at: Date | undefined = expiresAt;
  await ramz.verify.send({
    to,
    purpose: undefined,
    senderId: null,
    cascade: [{ channel: 'sms', timeoutSeconds: null }],
  });
  await ramz.accounts.update({ brand: null, cascade: undefined });
  const answer: CheckResponse = await ramz.verify.check({ id, code: '123456' });
  const left: number = answer.attemptsRemaining;
  return answer.valid && left > 0 && at !== undefined;
}

export async function options(ramz: Ramz): Promise<string | null> {
  const seen: ResponseInfo[] = [];
  const options: CallOptions = {
    totalTimeoutMs: 3_000,
    headers: { 'x-tenant': '7' },
    onResponse: (info) => seen.push(info),
  };
  await ramz.accounts.get(options);
  const watched: WatchOptions = { headers: new Headers({ 'x-tenant': '7' }) };
  // @ts-expect-error: it lasts as long as the session.
  ramz.verify.watch('vrf_1', { ...watched, totalTimeoutMs: 1 });
  new Ramz({ userAgent: 'my-shop/1.2', headers: { 'x-gateway': '1' }, onResponse: console.log, totalTimeoutMs: 5_000 });
  return seen[0]?.headers.get('ratelimit') ?? null;
}

export async function lists(ramz: Ramz): Promise<SessionSummary[]> {
  const list: List<SessionSummary> = ramz.verify.list({ status: SessionStatus.pending, createdAfter: new Date() });
  const page: Page<SessionSummary> = await list.page();
  for await (const { status } of list) if (status === 'verified' || status === 'on_hold_from_the_future') return [];
  for await (const { session, newEntries } of ramz.verify.watch('vrf_1'))
    if (session?.status === 'verified') return newEntries.map(() => session);
  // @ts-expect-error A list does not load them.
  page.items[0]?.timeline;
  const secret: string = (await ramz.webhookEndpoints.create({ url: 'https://shop.example' })).secret;
  await ramz.webhookEndpoints.delete(secret);
  await ramz.webhookEndpoints.update('whe_1', { enabled: false });
  return page.items;
}

export function told(event: WebhookEvent): string {
  switch (event.type) {
    case 'receipt.updated':
      return event.data.cost?.amount ?? event.data.status;
    case 'session.verified':
    case 'session.expired':
      return event.data.session?.to ?? event.data.sessionId;
    case 'sender_id.decided':
      return event.data.name;
    default: {
      const type: string = event.type;
      return type;
    }
  }
}

export async function hook(body: Uint8Array, headers: Headers): Promise<string> {
  try {
    return told(await webhooks.verify(body, headers, ['whsec_a', 'whsec_b'], { toleranceSeconds: 60 }));
  } catch (error) {
    if (error instanceof SignatureError) return error.reason;
    if (error instanceof NotFoundError || (error instanceof ApiError && error.code === ErrorCode.rateLimited))
      return `${error.field ?? ''} ${error.requestId} ${error.retryAfterSeconds ?? 0}`;
    throw error;
  }
}

export const fake: Ramz = new FakeRamz({ now: new Date() });

export async function mistakes(ramz: Ramz): Promise<void> {
  // @ts-expect-error: `to` is required
  await ramz.verify.send({});
  // @ts-expect-error: what is required can't be null
  await ramz.verify.send({ to: null });
  // @ts-expect-error: there is no field `too`
  await ramz.verify.send({ to: '+1', too: 1 });
  // @ts-expect-error: fields are in camelCase
  await ramz.verify.send({ to: '+1', client_reference: 'a' });
  // @ts-expect-error: an id is needed
  await ramz.verify.get();
  // @ts-expect-error: no option of the SDK
  new Ramz({ key: 'a' });
  // @ts-expect-error: what tests of the SDK replace is not for users
  new Ramz({ runtime: {} });
  const event = {} as WebhookEvent;
  // @ts-expect-error: of a type that was not looked at, `data` may be anything
  event.data.sessionId.toUpperCase();
  if (event.type === 'waba.connected')
    // @ts-expect-error: a WabaEvent has no session
    event.data.sessionId;
}
