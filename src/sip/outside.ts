// Answers to requests that belong to no call of ours. This side only places calls, and keeps nothing for such a request: the same
// request gets the same answer (stateless UAS, RFC 3261 section 8.2.7).

import { createHash } from 'node:crypto';
import { ALLOW } from './call-context.ts';
import { faultOf } from './fault.ts';
import { header, parseVia, tagOf, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import { type HeaderLine, writeResponse } from './writer.ts';

/** Null where nothing is answered: to an ACK, and to what can't be answered. */
export function answerOutside(request: SipMessage): Buffer | null {
  if (request.method === 'ACK' || parseVia(header(request, 'via')) === null) return null;
  const [status, reason, headers] = verdictOn(request);
  return writeResponse(status, reason, [...copied(request), ...headers]);
}

type Verdict = readonly [status: number, reason: string, headers: readonly HeaderLine[]];

function verdictOn(request: SipMessage): Verdict {
  const fault = faultOf(request);
  if (fault !== null) return [400, fault, []];
  const isInDialog = tagOf(header(request, 'to')) !== null;
  if (isInDialog || ['BYE', 'CANCEL', 'UPDATE', 'INFO'].includes(request.method ?? ''))
    return [481, 'Call/Transaction Does Not Exist', []];
  const allow: HeaderLine = ['Allow', ALLOW];
  // The trunk asks whether we are up, as we ask it.
  if (request.method === 'OPTIONS') return [200, 'OK', [allow, ['Accept', 'application/sdp']]];
  if (request.method === 'INVITE') return [403, 'No calls are taken here', []];
  return [405, 'Method Not Allowed', [allow]];
}

/** Section 8.2.6.2. The tag is made of the request, so that a repeated request gets the same one. */
function copied(request: SipMessage): HeaderLine[] {
  const to = header(request, 'to');
  const seed = [header(request, 'call-id'), header(request, 'from'), header(request, 'cseq')].join('\n');
  const tag = createHash('sha256').update(seed).digest('hex').slice(0, 16);
  const lines: HeaderLine[] = [
    ...values(request, 'via').map((via): HeaderLine => ['Via', via]),
    ['From', header(request, 'from')],
    ['To', to === '' || tagOf(to) !== null ? to : `${to};tag=${tag}`],
    ['Call-ID', header(request, 'call-id')],
    ['CSeq', header(request, 'cseq')],
  ];
  return lines.filter(([, value]) => value !== '');
}
