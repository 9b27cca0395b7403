// `/v1/callbacks/messaging`: the messaging platform checks here that the address is ours (GET) and reports the statuses of
// messages (POST). The signature alone says who called. What a callback contains is the channel's business.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConnectError } from '@connectrpc/connect';
import type { Mount } from '../http.ts';
import { maxBodyBytes, readBytes } from '../rest/body.ts';
import { faultOf } from '../waist/errors.ts';
import type { Logger } from '../waist/ports.ts';

export interface MessagingCallbackOptions {
  /** Evaluated for each call; null = not configured, and the path answers 404. */
  secrets(): { appSecret: string; verifyToken: string } | null;
  /** Resolves once everything in the body is committed; only then is the callback acknowledged. */
  take(body: string): Promise<void>;
  /** For the metrics. */
  observe?(result: CallbackResult): void;
  logger: Logger;
}

export type CallbackResult = 'taken' | 'failed' | 'refused' | 'verified';

/** "Payloads can be up to 3 MB", says the platform: one refused for its size would come again for seven days. */
const maxBytes = 3 * 1024 * 1024;

const path = '/v1/callbacks/messaging';

/**
 * The memory of bodies whose signature is not checked yet: any stranger may send them. Once they have so much together, those that are larger than
 * a call's are refused; real ones have a few kilobytes, and the platform brings again what was not taken.
 */
class UncheckedBodies {
  static readonly most = 32 * 1024 * 1024;
  #held = 0;

  begin() {
    let size = 0;
    const grow = (to: number): boolean => {
      this.#held += to - size;
      size = to;
      return size <= maxBodyBytes || this.#held <= UncheckedBodies.most;
    };
    return { grow, end: () => void grow(0) };
  }
}

export function messagingCallbacks(options: MessagingCallbackOptions): Mount {
  const unchecked = new UncheckedBodies();
  return (request, response) => {
    if ((request.url ?? '').split('?', 1)[0] !== path) return false;
    const secrets = options.secrets();
    if (!secrets) return false;
    const answer =
      request.method === 'GET'
        ? verification(request, secrets)
        : callback(request, secrets, options, unchecked.begin());
    Promise.resolve(answer)
      .then(({ result, status, text }) => {
        options.observe?.(result);
        write(request, response, status, text);
      })
      .catch((error) => {
        options.logger.error({ err: error }, 'callback could not be answered');
        response.destroy();
      });
    return true;
  };
}

interface Answer {
  result: CallbackResult;
  status: number;
  text: string;
}

/** The handshake: a caller that knows the token we gave the platform gets its challenge back. */
function verification(request: IncomingMessage, { verifyToken }: { verifyToken: string }): Answer {
  const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
  const challenge = query.get('hub.challenge') ?? '';
  const known = query.get('hub.mode') === 'subscribe' && sameText(query.get('hub.verify_token') ?? '', verifyToken);
  if (!known) return { result: 'refused', status: 403, text: 'hub.verify_token is not the one configured' };
  // The challenge is echoed, so it must not be text that a browser could take for a page.
  if (!/^[\w-]{1,128}$/.test(challenge)) return { result: 'refused', status: 400, text: 'hub.challenge is missing' };
  return { result: 'verified', status: 200, text: challenge };
}

async function callback(
  request: IncomingMessage,
  { appSecret }: { appSecret: string },
  { take, logger }: MessagingCallbackOptions,
  room: ReturnType<UncheckedBodies['begin']>,
): Promise<Answer> {
  if (request.method !== 'POST') return { result: 'refused', status: 405, text: 'GET or POST' };
  const signature = /^sha256=([0-9a-f]{64})$/.exec(String(request.headers['x-hub-signature-256'] ?? ''))?.[1];
  // Without a signature the body is not even read.
  if (!signature) return { result: 'refused', status: 401, text: 'X-Hub-Signature-256 is missing' };
  let body: Buffer;
  try {
    body = await readBytes(request, maxBytes, room.grow);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return { result: 'refused', status: faultOf(error).httpStatus, text: error.rawMessage };
  } finally {
    room.end();
  }
  const expected = createHmac('sha256', appSecret).update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) {
    return { result: 'refused', status: 401, text: 'X-Hub-Signature-256 is not of this body and the app secret' };
  }
  try {
    await take(body.toString('utf8'));
    return { result: 'taken', status: 200, text: 'ok' };
  } catch (error) {
    logger.error({ err: error }, 'callback not stored: the platform is asked to bring it again');
    return { result: 'failed', status: 503, text: 'not stored; bring it again' };
  }
}

function write(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('x-content-type-options', 'nosniff');
  if (status === 405) response.setHeader('allow', 'GET, POST');
  // The unread rest of the body would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status).end(text);
}

/** Its time reveals neither where they differ nor how long they are. */
const sameText = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
