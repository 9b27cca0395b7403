// A Graph API on loopback that answers as it is told, and counts who knocks. Ends with the file.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

export interface GraphRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    to: string;
    biz_opaque_callback_data: string;
    template: { language: { code: string }; components: unknown[] };
  };
  wamid: string;
}

type Answer = (response: ServerResponse, request: GraphRequest) => void;

export const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const accept: Answer = (response, { wamid }) => json(response, 200, { messages: [{ id: wamid }] });
export const refuse =
  (code: number, status = 400): Answer =>
  (response) =>
    json(response, status, { error: { message: `(#${code})`, type: 'OAuthException', code } });

export async function graphServer() {
  const requests: GraphRequest[] = [];
  const answers: Answer[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as GraphRequest['body'];
      const wamid = `wamid.${requests.length + 1}.${body.biz_opaque_callback_data}`;
      const received = { path: request.url ?? '', headers: request.headers, body, wamid };
      requests.push(received);
      (answers.shift() ?? accept)(response, received);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const { port } = await listen(server);
  return {
    port,
    requests,
    url: `http://127.0.0.1:${port}`,
    /** How the next requests are answered, one after another; then as usual. */
    answerNext: (...next: Answer[]) => void answers.push(...next),
    /** Connections ever made. */
    connections: () => connections,
  };
}

export const appSecret = 'app-secret';
export const signatureOf = (body: string, secret = appSecret) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export interface StatusChange {
  id: string;
  status: string;
  at?: number;
  ownId?: string;
  more?: object;
}

/** The body of a callback with these statuses. */
export function callbackBody(phoneNumberId: string, ...statuses: StatusChange[]): string {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '213550000000', phone_number_id: phoneNumberId },
    statuses: statuses.map(({ id, status, at = Date.now(), ownId, more }) => ({
      id,
      status,
      timestamp: String(Math.floor(at / 1000)),
      recipient_id: '213550000099',
      ...(ownId ? { biz_opaque_callback_data: ownId } : {}),
      ...more,
    })),
  };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
}
