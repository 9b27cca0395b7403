// A customer's program: the REST door of a running service with one key, and the answers as the contract names them.
import { until } from './wait.ts';

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface ErrorBody {
  error: { code: string; message: string; field?: string; request_id: string; session_id?: string };
}

export interface Sent {
  id: string;
  status: string;
  delivery: string;
  to: string;
  test: boolean;
}

export interface Checked {
  valid: boolean;
  status: string;
  reason: string;
  attempts_remaining: number;
}

export interface Cost {
  amount: string;
  currency: string;
  source: string;
  final: boolean;
  revision: number;
}

export interface Session extends Sent {
  status_reason: string;
  messages: {
    id: string;
    channel: string;
    operator: string;
    status: string;
    reason: string;
    provider_message_id: string;
    submitted_at?: string;
    final_at?: string;
    cost?: Cost;
    call?: { state: string; ended: boolean };
    receipts: { status: string; operator_timestamp?: string; received_at: string; cost?: Cost; raw: string }[];
  }[];
  timeline: { at: string; kind: string; channel: string; reason: string }[];
  total_cost: { amount: string; currency: string; final: boolean }[];
}

/** The business's own WhatsApp account. */
export interface Waba {
  waba_id: string;
  phone_number_id: string;
  phone_number: string;
  display_name: string;
  status: string;
  step: string;
  reason: string;
  error_code: string;
  templates: { language: string; status: string }[];
  connected_at?: string;
  daily_recipients: number;
  health?: { can_send: string; messaging_limit: string; problems: { part: string; error_code: string }[] };
}

export interface Leg {
  channel: string;
  timeout_seconds?: number;
}

export interface Client {
  call<T>(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer<T>>;
  /** @throws unless it is answered with 200. */
  send(to: string, more?: { cascade?: Leg[]; [field: string]: unknown }): Promise<Sent>;
  /** @throws unless it is answered with 200. */
  check(id: string, code: string): Promise<Checked>;
  session(id: string): Promise<Session>;
  /** Looks at the session until it is as wanted; default timeout 30 000 ms. */
  sessionWhen(id: string, what: string, wanted: (session: Session) => boolean, timeoutMs?: number): Promise<Session>;
}

/** `http` is the address of the door, e.g. `http://127.0.0.1:8080`. `send`: how its requests are sent. */
export function serviceClient(http: string, key: string, send: typeof fetch = fetch): Client {
  const call = async <T>(method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await send(http + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as T };
  };
  const ok = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await call<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const session = (id: string) => ok<Session>('GET', `/v1/verify/sessions/${id}`);
  return {
    call,
    send: (to, more = {}) => ok('POST', '/v1/verify/send', { to, ...more }),
    check: (id, code) => ok('POST', '/v1/verify/check', { id, code }),
    session,
    sessionWhen: (id, what, wanted, timeoutMs = 60_000) =>
      until(
        async () => {
          const found = await session(id);
          if (wanted(found)) return found;
          throw new Error(`it is ${found.status}, ${found.delivery}: ${found.timeline.map(({ kind }) => kind)}`);
        },
        { what, timeoutMs, everyMs: 25 },
      ),
  };
}
