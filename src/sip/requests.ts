// What a request of the callee means for a call (RFC 3261 sections 8.2, 12.2.2 and 15.1.2), by where it comes from and what the call is
// doing: most are answered here and change nothing.

import { header, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import type { Reply } from './replies.ts';
import type { HeaderLine } from './writer.ts';

export const SUPPORTED: HeaderLine = ['Supported', 'timer'];

/**
 * `stranger`: no dialog of ours. `ringing`: a branch that has not answered yet. `left`: one that got our BYE, or that is over.
 * `up`: the call.
 */
export type Place = 'stranger' | 'ringing' | 'left' | 'up';

export type Meaning =
  | { kind: 'reply'; reply: Reply }
  | { kind: 'bye' }
  | { kind: 'key'; digit: string }
  /** A re-INVITE or UPDATE of the call. */
  | { kind: 'offer' };

const answer = (status: number, headers: readonly HeaderLine[] = []): Meaning => {
  return { kind: 'reply', reply: { status, headers } };
};

/** @param isInOrder Whether the request's number is at least the last one's. */
export function meaningOf(request: SipMessage, place: Place, isInOrder: boolean): Meaning {
  if (place === 'stranger') return answer(481);
  if (!isInOrder) return answer(500);
  if (request.method === 'BYE') return { kind: 'bye' };
  if (place === 'left') return answer(481);
  const unsupported = unsupportedOf(request);
  if (unsupported.length > 0) return answer(420, [['Unsupported', unsupported.join(', ')]]);
  if (request.method === 'INFO') return meaningOfInfo(request, place);
  if (request.method !== 'INVITE' && request.method !== 'UPDATE')
    return { kind: 'reply', reply: politeReply(request.method) };
  if (place === 'up') return { kind: 'offer' };
  // Before the answer our offer is still open (RFC 3311 section 5.2).
  return answer(request.method === 'UPDATE' && request.body === '' ? 200 : 491);
}

function meaningOfInfo(info: SipMessage, place: Place): Meaning {
  const digit = keyOfInfo(info);
  if (digit === null) return answer(info.body === '' ? 200 : 415);
  return place === 'up' ? { kind: 'key', digit } : answer(200);
}

/** Extensions that a request demands and we do not have (section 8.2.2.3). */
const unsupportedOf = (request: SipMessage): string[] =>
  values(request, 'require').filter((option) => option.toLowerCase() !== 'timer');

/** The answer to a request that changes nothing in the call. */
function politeReply(method: string | null): Reply {
  switch (method) {
    case 'OPTIONS':
      return { status: 200, headers: [['Accept', 'application/sdp, application/dtmf-relay'], SUPPORTED] };
    case 'NOTIFY':
      return { status: 200 };
    case 'REFER': // nobody here can be asked to call another
      return { status: 603 };
    default:
      return { status: 405 };
  }
}

/** The key in an INFO: `Signal=5` of application/dtmf-relay, or the digit alone of application/dtmf. Null for another body. */
function keyOfInfo(info: SipMessage): string | null {
  const [type = ''] = header(info, 'content-type').toLowerCase().split(';');
  const written = /^application\/dtmf-relay\s*$/.test(type)
    ? // Blanks, but no line ends: those would be walked again from each empty line, for 3 s in a body of 64,000.
      (/^[ \t]*signal[ \t]*=[ \t]*(\S+)/im.exec(info.body)?.[1] ?? '')
    : /^application\/dtmf\s*$/.test(type)
      ? info.body.trim()
      : '';
  // Some gateways send the number of the event of RFC 4733.
  const key = written === '10' ? '*' : written === '11' ? '#' : written.toUpperCase();
  return /^[0-9*#A-D]$/.test(key) ? key : null;
}
