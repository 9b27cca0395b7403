// What an SDK must get by generating alone: an RPC, a field and a word, added to a copy of the contract.
import type { ContractCopy } from '../support/contract.ts';

/** Further fields of the two messages, where one SDK has more to show. */
interface Fields {
  request?: string;
  response: string;
}

export function addPraise(edit: ContractCopy['edit'], { request = '', response }: Fields): void {
  edit('verify.proto', (text) =>
    text
      .replace(
        'service VerifyService {',
        `service VerifyService {
  // Praises a session.
  rpc PraiseSession(PraiseSessionRequest) returns (PraiseSessionResponse) {
    option (google.api.http) = {
      post: "/v1/verify/sessions/{id}/praise"
      body: "*"
    };
    option (method) = {scope: "verify" errors: ["session_not_found"]};
  }`,
      )
      .concat(`
// Which session, and how.
message PraiseSessionRequest {
  // Identifies the session.
  string id = 1 [(rules) = {required: true}];
  // How loud */ it is.
  optional double volume = 2;
  // Words, each by itself.
  repeated string words = 3 [(rules) = {required: true}];
  // When to begin.
  google.protobuf.Timestamp begin_at = 4;${request}
}
// The praise.
message PraiseSessionResponse {
  // How it was taken.
  string mood = 1 [(rules) = {values: "channel"}];${response}
}
`),
  );
  edit('session.proto', (text) =>
    text.replace('message Session {', 'message Session {\n  // Its charm.\n  optional int32 charm_level = 900;'),
  );
  edit('values.proto', (text) =>
    text.replace('values: [\n    {', 'values: [\n    {name: "carrier_pigeon" description: "A bird."},\n    {'),
  );
}
