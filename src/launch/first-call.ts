// What `npm start` prints when everything is up: calls to paste, with a working key.

import { resolve } from 'node:path';
import type { Files, SandboxState } from './files.ts';

interface FirstCall {
  http: string;
  grpc: string;
  ready: { http: string; numbers: Record<string, string> };
  account: SandboxState;
  files: Files;
}

export function firstCall({ http, grpc, ready, account, files }: FirstCall): string {
  const to = ready.numbers.sms_delivered;
  const where = files.directory === resolve('.data') ? '' : `RAMZ_DATA='${files.directory}' `;
  return `
Ramz is up.

  HTTP     ${http}   (readable API at ${http}/docs)
  gRPC     ${grpc}
  phones   ${ready.http}   (what the sandbox's phones and webhook endpoint received)
  log      ${files.path('server.log')}

Send a code:

  curl -s ${http}/v1/verify/send \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${to}"}'

Read it on the phone:

  curl -s '${ready.http}/sandbox/messages?to=${encodeURIComponent(to ?? '')}'

Check it (the id from the first answer, the code from the text):

  curl -s ${http}/v1/verify/check \\
    -H 'Authorization: Bearer ${account.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"id":"vrf_…","code":"……"}'

Or see a whole story at once:  ${where}npm run send -- sms_throttled   (without a name: all of them)

Keys, numbers and addresses are in ${files.path('sandbox.json')}. Ctrl-C ends everything.
`;
}
