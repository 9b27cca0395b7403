// What each method of the contract is asked by a stranger: with every id of somebody else's that a request can name. A method
// that is not here, or a field that names something and is given by no case, fails the test by its name.
import type { ErrorCode } from '../../../src/gen/values.ts';
import type { Things } from './things.ts';

export interface Case {
  /** The request, members by their names in TypeScript. */
  asks(theirs: Things, own: Things): Record<string, unknown>;
  /** The `Idempotency-Key`. */
  idempotencyKey?(theirs: Things): string;
  /** `own`: answered with what is the caller's; else refused so, exactly as for ids that nobody has. */
  answer: 'own' | ErrorCode;
  /** Refused even where the ids are the caller's own. */
  always?: true;
  /** Tells whether there is such a thing, by the contract: the answer to an id that nobody has is another. */
  differs?: true;
  /** A live key sees the keys of test mode too. */
  liveSeesTest?: true;
  /** Of the account and not of a mode, and managed with live keys. */
  live?: true;
}

const nothing = () => ({});

export const table: Record<string, readonly Case[]> = {
  'VerifyService/Check': [
    {
      asks: ({ sessionId }) => ({ session: { case: 'id', value: sessionId }, code: '123456' }),
      answer: 'session_not_found',
    },
    {
      asks: ({ number, purpose }) => ({ session: { case: 'to', value: number }, purpose, code: '123456' }),
      answer: 'session_not_found',
    },
    {
      asks: ({ sessionId }) => ({ session: { case: 'id', value: sessionId }, code: '123456' }),
      idempotencyKey: (theirs) => theirs.idempotencyKey,
      answer: 'session_not_found',
    },
  ],
  'VerifyService/GetSession': [{ asks: ({ sessionId: id }) => ({ id }), answer: 'session_not_found' }],
  'VerifyService/WatchSession': [
    { asks: ({ sessionId: id }) => ({ id }), answer: 'session_not_found' },
    { asks: ({ sessionId: id }) => ({ id, lastEventId: '1-1' }), answer: 'session_not_found' },
  ],
  'VerifyService/ListSessions': [
    { asks: nothing, answer: 'own' },
    { asks: ({ number: to }) => ({ to }), answer: 'own' },
    { asks: ({ clientReference }) => ({ clientReference }), answer: 'own' },
    { asks: ({ purpose }) => ({ purpose }), answer: 'own' },
    { asks: ({ sessionsToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],
  'VerifyService/GetSummary': [{ asks: nothing, answer: 'own' }],
  'VerifyService/Send': [
    {
      asks: ({ otherNumber: to, purpose }) => ({ to, purpose }),
      idempotencyKey: (theirs) => theirs.idempotencyKey,
      answer: 'own',
    },
    {
      asks: ({ senderName: senderId, clientReference }, { number: to }) => ({ to, senderId, clientReference }),
      answer: 'sender_id_not_approved',
    },
  ],
  'VerifyService/CancelSession': [{ asks: ({ sessionId: id }) => ({ id }), answer: 'session_not_found' }],
  'VerifyService/ReportSession': [
    { asks: ({ sessionId: id }) => ({ id, outcome: 'fraud' }), answer: 'session_not_found' },
  ],

  'AccountService/CreateAccount': [{ asks: () => ({ name: 'X' }), answer: 'invalid_admin_token', always: true }],
  'AccountService/GetAccount': [{ asks: nothing, answer: 'own' }],
  'AccountService/GetMeasures': [{ asks: nothing, answer: 'own' }],
  'LimitsService/GetLimits': [{ asks: nothing, answer: 'own' }],
  'AccountService/UpdateAccount': [
    { asks: () => ({ language: 'fr' }), answer: 'own' },
    { asks: ({ senderName: defaultSenderId }) => ({ defaultSenderId }), answer: 'invalid_argument' },
  ],
  'AccountService/DecideWording': [
    {
      asks: ({ accountId }) => ({ accountId, wording: { case: 'brand', value: 'Mine' }, status: 'approved' }),
      answer: 'invalid_admin_token',
      always: true,
    },
  ],

  'NumberService/EraseNumber': [{ asks: ({ number: to }) => ({ to }), answer: 'own' }],

  'ApiKeyService/CreateApiKey': [{ asks: () => ({ name: 'more' }), answer: 'own' }],
  'ApiKeyService/ListApiKeys': [
    { asks: () => ({ includeRevoked: true }), answer: 'own', liveSeesTest: true },
    { asks: ({ keysToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],
  'ApiKeyService/RevokeApiKey': [
    { asks: ({ keyId: id }) => ({ id }), answer: 'api_key_not_found', liveSeesTest: true },
  ],

  'LimitListService/CreateListEntry': [{ asks: () => ({ list: 'allow', value: '+213779999*' }), answer: 'own' }],
  'LimitListService/ListListEntries': [
    { asks: nothing, answer: 'own' },
    { asks: ({ listToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],
  'LimitListService/DeleteListEntry': [{ asks: ({ listEntryId: id }) => ({ id }), answer: 'list_entry_not_found' }],

  'SenderIdService/CreateSenderId': [{ asks: () => ({ name: 'Mine' }), answer: 'own' }],
  'SenderIdService/GetSenderId': [{ asks: ({ senderId: id }) => ({ id }), answer: 'sender_id_not_found' }],
  'SenderIdService/ListSenderIds': [
    { asks: nothing, answer: 'own' },
    { asks: ({ sendersToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],
  'SenderIdService/DecideSenderId': [
    {
      asks: ({ senderId: id }) => ({ id, operator: 'alpha', status: 'revoked' }),
      answer: 'invalid_admin_token',
      always: true,
    },
  ],

  'LimitsService/ListStops': [
    { asks: nothing, answer: 'own' },
    { asks: ({ stopsToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token', live: true },
  ],
  'LimitsService/LiftStop': [{ asks: ({ stopId: id }) => ({ id }), answer: 'stop_not_found', live: true }],
  'LimitsService/DryRun': [
    { asks: ({ otherNumber: to, purpose }) => ({ to, purpose }), answer: 'own' },
    {
      asks: ({ senderName: senderId, clientReference }, { number: to }) => ({ to, senderId, clientReference }),
      answer: 'sender_id_not_approved',
    },
  ],

  'AdminService/CreateAdministrator': [
    { asks: () => ({ name: 'Mallory' }), answer: 'invalid_admin_token', always: true },
  ],
  'AdminService/ListAdministrators': [
    { asks: ({ keysToken: pageToken }) => ({ pageToken }), answer: 'invalid_admin_token', always: true },
  ],
  'AdminService/RevokeAdministrator': [
    { asks: ({ keyId: id }) => ({ id }), answer: 'invalid_admin_token', always: true },
  ],

  'AdminService/ListAccounts': [
    { asks: ({ keysToken: pageToken }) => ({ pageToken }), answer: 'invalid_admin_token', always: true },
  ],
  ...Object.fromEntries(
    ['Find', 'Approve', 'Suspend', 'Resume', 'Close', 'Reopen'].map((verb) => [
      `AdminService/${verb}Account`,
      [
        {
          asks: ({ accountId: id }: Things) => ({ id }),
          answer: 'invalid_admin_token' as const,
          always: true as const,
        },
      ],
    ]),
  ),
  'AdminService/EraseNumberEverywhere': [
    { asks: ({ number: to, accountId }) => ({ to, accountId }), answer: 'invalid_admin_token', always: true },
  ],

  ...Object.fromEntries(
    [
      'ExportAccount',
      'UpdateAccountLimits',
      'UnlockNumber',
      'ListAccountKeys',
      'RevokeAllAccountKeys',
      'DecideAutofill',
    ].map((method): [string, Case[]] => [
      `AdminService/${method}`,
      [
        {
          asks: ({ accountId: id, number: to, keysToken: pageToken }) => ({
            id,
            ...(method === 'UnlockNumber' ? { to } : {}),
            ...(['ExportAccount', 'ListAccountKeys'].includes(method) ? { pageToken } : {}),
            ...(method === 'DecideAutofill' ? { value: 'https://shop.example' } : {}),
          }),
          answer: 'invalid_admin_token',
          always: true,
        },
      ],
    ]),
  ),
  'AdminService/ListAccountStops': [
    {
      asks: ({ accountId, keysToken: pageToken }) => ({ accountId, pageToken }),
      answer: 'invalid_admin_token',
      always: true,
    },
  ],
  'AdminService/LiftAccountStop': [{ asks: ({ stopId: id }) => ({ id }), answer: 'invalid_admin_token', always: true }],
  'AdminService/ListPlatformEntries': [
    { asks: ({ listToken: pageToken }) => ({ pageToken }), answer: 'invalid_admin_token', always: true },
  ],
  'AdminService/CreatePlatformEntry': [
    { asks: ({ number: value }) => ({ list: 'block', value }), answer: 'invalid_admin_token', always: true },
  ],
  'AdminService/DeletePlatformEntry': [
    { asks: ({ listEntryId: id }) => ({ id }), answer: 'invalid_admin_token', always: true },
  ],
  'AdminService/RevokeAccountKey': [{ asks: ({ keyId: id }) => ({ id }), answer: 'invalid_admin_token', always: true }],
  'AdminService/ListAdminAuditEvents': [
    {
      asks: ({ keysToken: pageToken, accountId, keyId: actorId }) => ({ pageToken, accountId, actorId }),
      answer: 'invalid_admin_token',
      always: true,
    },
  ],
  'AuditService/ListAuditEvents': [
    { asks: nothing, answer: 'own' },
    { asks: ({ keyId: actorId }) => ({ actorId }), answer: 'own', liveSeesTest: true },
    { asks: ({ keyId: target }) => ({ target }), answer: 'own', liveSeesTest: true },
    { asks: ({ auditToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],

  'OperatorService/ListOperators': [{ asks: nothing, answer: 'invalid_admin_token', always: true }],
  'OperatorService/PauseOperator': [
    { asks: () => ({ id: 'atlas', reason: 'mine' }), answer: 'invalid_admin_token', always: true },
  ],
  'OperatorService/ResumeOperator': [{ asks: () => ({ id: 'atlas' }), answer: 'invalid_admin_token', always: true }],
  'OperatorService/RebindOperator': [
    { asks: () => ({ id: 'atlas', slot: 0 }), answer: 'invalid_admin_token', always: true },
  ],
  'OperatorService/ListParkedReceipts': [
    { asks: ({ keysToken: pageToken }) => ({ pageToken }), answer: 'invalid_admin_token', always: true },
  ],

  'WabaService/GetWaba': [{ asks: nothing, answer: 'waba_not_found' }],
  'WabaService/CreateWabaSignup': [{ asks: nothing, answer: 'own' }],
  'WabaService/ConnectWaba': [
    {
      asks: ({ wabaId, phoneNumberId }) => ({
        wabaId,
        phoneNumberId,
        credential: { case: 'accessToken', value: 'a-token' },
      }),
      answer: 'phone_number_taken',
      differs: true,
      live: true,
    },
    {
      asks: ({ state }) => ({
        state,
        wabaId: '10420',
        phoneNumberId: '10930',
        credential: { case: 'code', value: 'a-code' },
      }),
      answer: 'invalid_signup_state',
      live: true,
    },
  ],
  'WabaService/DisconnectWaba': [{ asks: nothing, answer: 'waba_not_found' }],

  'WebhookEndpointService/GetWebhookEndpoint': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
  ],
  'WebhookEndpointService/ListWebhookEndpoints': [
    { asks: nothing, answer: 'own' },
    { asks: ({ endpointsToken: pageToken }) => ({ pageToken }), answer: 'invalid_page_token' },
  ],
  'WebhookEndpointService/CreateWebhookEndpoint': [
    { asks: () => ({ url: 'https://hooks.example.com/ramz', eventTypes: ['waba.connected'] }), answer: 'own' },
  ],
  'WebhookEndpointService/UpdateWebhookEndpoint': [
    { asks: ({ endpointId: id }) => ({ id, enabled: false }), answer: 'webhook_endpoint_not_found' },
  ],
  'WebhookEndpointService/RotateWebhookSecret': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
  ],
  'WebhookEndpointService/ListWebhookDeliveries': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
    {
      asks: ({ deliveriesToken: pageToken }, { endpointId: id }) => ({ id, pageToken }),
      answer: 'invalid_page_token',
    },
  ],
  'WebhookEndpointService/RedeliverWebhook': [
    { asks: ({ endpointId: id, eventId }) => ({ id, eventId }), answer: 'webhook_endpoint_not_found' },
    { asks: ({ eventId }, { endpointId: id }) => ({ id, eventId }), answer: 'webhook_delivery_not_found' },
  ],
  'WebhookEndpointService/ReplayWebhooks': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
    {
      // A list's token: a replay gives one only where it takes more events than there are here.
      asks: ({ deliveriesToken: replayToken }, { endpointId: id }) => ({ id, replayToken }),
      answer: 'invalid_page_token',
      always: true,
    },
  ],
  'WebhookEndpointService/TestWebhookEndpoint': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
  ],
  'WebhookEndpointService/DeleteWebhookEndpoint': [
    { asks: ({ endpointId: id }) => ({ id }), answer: 'webhook_endpoint_not_found' },
  ],
};
