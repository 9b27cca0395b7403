// Signalling scenarios for sipp (Debian sip-tester) as the callee: steps in, its XML out. What belongs to the INVITE is kept in
// variables, because an answer to it may follow a CANCEL, whose headers sipp would else copy.

const sdp = `v=0
o=callee 1 1 IN IP4 [local_ip]
s=-
c=IN IP4 [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 8 101
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000
`;

const keptOfInvite = ['Via', 'From', 'To', 'CSeq'] as const;
const variable = (header: string): Step => `[$${header.toLowerCase()}]`;

export interface AnswerOptions {
  /** With a session description. */
  sdp?: boolean;
  /** Default the one tag of the scenario; another one is another branch of a fork. */
  tag?: string;
  /** Further header lines. */
  headers?: readonly string[];
}

const message = (lines: readonly string[], body: string): Step =>
  `<send><![CDATA[\n\n${lines.join('\n')}\nContent-Length: ${body === '' ? '0' : '[len]'}\n\n${body}\n]]></send>\n`;

const contact = 'Contact: <sip:callee@[local_ip]:[local_port]>';
const withBody = (hasBody: boolean): string[] => (hasBody ? ['Content-Type: application/sdp'] : []);

const keep = keptOfInvite.map(
  (header) => `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${header.toLowerCase()}"/>`,
);

/** What `mark` makes. */
export const markFile = 'marked';

/** A part of a scenario, as sipp reads it. */
export type Step = string;

/** Waits for the INVITE and keeps its headers. `proof`: what its credentials must contain; sipp fails where they don't. */
export function invite(proof?: string): Step {
  const check = `<ereg regexp="${proof}" search_in="hdr" header="Proxy-Authorization:" check_it="true" assign_to="proof"/>`;
  return `<recv request="INVITE"><action>${keep.join('')}${proof === undefined ? '' : check}</action></recv>\n`;
}

/** An answer to the INVITE. */
export function answer(status: number, reason: string, options: AnswerOptions = {}): Step {
  const { tag = 'callee', headers = [] } = options;
  const to = status === 100 ? variable('To') : `${variable('To')};tag=${tag}[call_number]`;
  const lines = [
    `SIP/2.0 ${status} ${reason}`,
    `Via: ${variable('Via')}`,
    `From: ${variable('From')}`,
    `To: ${to}`,
    'Call-ID: [call_id]',
    `CSeq: ${variable('CSeq')}`,
    contact,
    ...headers,
    ...withBody(options.sdp === true),
  ];
  return message(lines, options.sdp ? sdp : '');
}

/** Waits for a request, the headers of which are then the last. */
export const wait = (method: string): Step => `<recv request="${method}"/>\n`;
/** Waits for the answer to a request of the scenario's own. */
export const waitAnswer = (status: number): Step => `<recv response="${status}"/>\n`;
/** Says so, by a file in its folder, when the scenario has come this far. */
export const mark: Step = `<nop><action><exec command="touch ${markFile}"/></action></nop>\n`;
export const pause = (ms: number): Step => `<pause milliseconds="${ms}"/>\n`;

/** An answer to the last request that is not the INVITE. */
export function reply(status: number, reason: string, headers: readonly string[] = []): Step {
  return message(
    [
      `SIP/2.0 ${status} ${reason}`,
      '[last_Via:]',
      '[last_From:]',
      '[last_To:]',
      '[last_Call-ID:]',
      '[last_CSeq:]',
      ...headers,
    ],
    '',
  );
}

/** A request of the callee within the dialog. */
export function request(method: string, number: number, options: AnswerOptions & { body?: string } = {}): Step {
  const { tag = 'callee', headers = [] } = options;
  const body = options.body ?? (options.sdp ? sdp : '');
  return message(
    [
      `${method} sip:caller@[remote_ip]:[remote_port] SIP/2.0`,
      `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=z9hG4bK${method}${number}[call_number]`,
      'Max-Forwards: 70',
      `From: ${variable('To')};tag=${tag}[call_number]`,
      `To: ${variable('From')}`,
      'Call-ID: [call_id]',
      `CSeq: ${number} ${method}`,
      contact,
      ...headers,
      ...withBody(body !== ''),
    ],
    body,
  );
}

/** The same session description, but on hold (RFC 3264 section 8.4). */
export const heldSdp = `${sdp}a=sendonly\n`;

export function scenario(name: string, steps: readonly Step[]): string {
  const body = steps.join('');
  // sipp takes a variable that is assigned and never read for a slip.
  const proved = body.includes('"proof"') ? '<Reference variables="proof"/>\n' : '';
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<!DOCTYPE scenario SYSTEM "sipp.dtd">\n<scenario name="${name}">\n${body}${proved}</scenario>\n`;
}
