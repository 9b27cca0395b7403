// The text that `npm start` prints when everything is up: where to look first, and a call to paste, with a working key.

import { resolve } from 'node:path';
import type { Files, SandboxState } from './files.ts';

interface FirstWords {
  http: string;
  grpc: string;
  metrics: string | undefined;
  ready: { http: string; numbers: Record<string, string>; warnings?: readonly string[] };
  account: SandboxState;
  files: Files;
}

export function firstWords({ http, grpc, metrics, ready, account, files }: FirstWords): string {
  const to = ready.numbers.sms_delivered;
  const where = files.directory === resolve('.data') ? '' : `RAMZ_DATA='${files.directory}' `;
  const notes = (ready.warnings ?? []).map((warning) => `Note: ${warning}\n`).join('');
  return `
Ramz is up.

  Look at the phones: ${ready.http}
  Try the API:        ${http}/docs
  gRPC:               ${grpc}
${metrics ? `  Metrics:            ${metrics}/metrics\n` : ''}  Log:                ${files.path('server.log')}

Send a code:

  curl -s ${http}/v1/verify/send \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${to}"}'

It arrives on the phones page and below. Check it:

  curl -s ${http}/v1/verify/check \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${to}","code":"……"}'

Or see a whole story at once:  ${where}npm run send -- sms_throttled   (without a name: all of them)

Keys, numbers and addresses are in ${files.path('sandbox.json')}, for a shell in ${files.path('sandbox.env')}.
Ctrl-C ends everything.
${notes}`;
}
