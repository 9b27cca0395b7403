// How the messages of RFC 4475 are written down here: as text, with its line ends made CRLF and its characters UTF-8.

export const sip = ({ raw }: TemplateStringsArray, ...inserted: readonly string[]): Buffer =>
  Buffer.from(String.raw({ raw }, ...inserted).replaceAll('\n', '\r\n'), 'utf8');

/** The body that nearly all of them have. */
export const audio = (address: string, begin = '0'): string => `v=0
o=mhandley 29739 7272939 IN IP4 ${address}
s=-
c=IN IP4 ${address}
t=${begin} 0
m=audio 49217 RTP/AVP 0 12
m=video 3227 RTP/AVP 31
a=rtpmap:31 LPC
`;
