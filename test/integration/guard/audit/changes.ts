// One call of each RPC that changes something for an account or for the deployment, in an order in which each finds what it needs. An RPC that
// is not here fails the test by its name.
import type { JsonObject } from '@bufbuild/protobuf';
import { otherEnd } from '../../../support/other-end.ts';
import type { World } from './world.ts';

export interface Change {
  /** Whose change it is. Default: the account's live key. */
  by?: 'key' | 'administrator';
  input(world: World): JsonObject | Promise<JsonObject>;
  /** Default: the RPC's name in snake case. */
  action?: string;
}

const endpoint = ({ things }: World) => ({ id: String(things.endpoint) });

export const changes: Readonly<Record<string, Change>> = {
  'AccountService/CreateAccount': { by: 'administrator', input: () => ({ name: 'Another' }) },
  'AccountService/UpdateAccount': { input: () => ({ name: 'Renamed', language: 'en', brand: 'Shop' }) },
  'AccountService/DecideWording': {
    by: 'administrator',
    input: ({ accountId }) => ({ account_id: accountId, brand: 'Shop', status: 'approved', reason: 'known' }),
  },

  'ApiKeyService/CreateApiKey': {
    input: () => ({ name: 'backend', scopes: ['read'], restrictions: { budget: { sends_per_day: 9 } } }),
  },
  'ApiKeyService/RevokeApiKey': { input: async (world) => ({ id: await world.newKey() }) },

  'LimitListService/CreateListEntry': { input: () => ({ list: 'block', value: '+213551*', note: 'audit' }) },
  'LimitListService/DeleteListEntry': { input: ({ things }) => ({ id: String(things.listEntry) }) },

  'SenderIdService/CreateSenderId': { input: () => ({ name: 'Renamed' }) },
  'SenderIdService/DecideSenderId': {
    by: 'administrator',
    input: ({ things }) => ({ id: String(things.sender), operator: 'atlas', status: 'approved', reason: 'known' }),
  },

  'WebhookEndpointService/CreateWebhookEndpoint': { input: ({ webhookUrl }) => ({ url: `${webhookUrl}?audit` }) },
  'WebhookEndpointService/UpdateWebhookEndpoint': {
    input: (world) => ({ ...endpoint(world), url: `${world.webhookUrl}?moved`, enabled: true }),
  },
  'WebhookEndpointService/RotateWebhookSecret': { input: endpoint },
  'WebhookEndpointService/TestWebhookEndpoint': { input: endpoint },
  'WebhookEndpointService/RedeliverWebhook': {
    input: async (world) => ({ ...endpoint(world), event_id: await world.delivered() }),
  },
  'WebhookEndpointService/ReplayWebhooks': { input: endpoint },
  'WebhookEndpointService/DeleteWebhookEndpoint': { input: endpoint },

  'WabaService/CreateWabaSignup': { input: () => ({}) },
  'WabaService/ConnectWaba': { input: ({ link }) => ({ ...link, pin: '123456' }) },
  'WabaService/DisconnectWaba': { input: () => ({}) },

  'OperatorService/PauseOperator': { by: 'administrator', input: () => ({ id: 'atlas', reason: 'maintenance' }) },
  'OperatorService/ResumeOperator': { by: 'administrator', input: () => ({ id: 'atlas' }) },
  'OperatorService/RebindOperator': { by: 'administrator', input: () => ({ id: 'atlas', slot: 0 }) },

  'LimitsService/LiftStop': { input: async (world) => ({ id: await world.stopped() }) },

  'NumberService/EraseNumber': { input: () => ({ to: '+213664001199' }) },
  'AdminService/EraseNumberEverywhere': {
    by: 'administrator',
    input: () => ({ to: '+213664001199' }),
    action: 'erase_number',
  },
  'AdminService/UpdateAccountLimits': {
    by: 'administrator',
    input: ({ otherId }) => ({
      id: otherId,
      sends_per_second: 5,
      rule_modes: { budget: 'monitor' },
      budget: { sends_per_day: 9 },
    }),
  },
  'AdminService/LiftAccountStop': {
    by: 'administrator',
    input: async (world) => ({ id: await world.stopped(otherEnd) }),
    action: 'lift_stop',
  },
  'AdminService/CreatePlatformEntry': {
    by: 'administrator',
    input: () => ({ list: 'block', value: '+213551*', note: 'audit' }),
    action: 'create_list_entry',
  },
  'AdminService/DeletePlatformEntry': {
    by: 'administrator',
    input: ({ things }) => ({ id: String(things.platformEntry) }),
    action: 'delete_list_entry',
  },
  'AdminService/UnlockNumber': {
    by: 'administrator',
    input: ({ otherId }) => ({ id: otherId, to: '+213550008001', test: false }),
  },
  'AdminService/RevokeAccountKey': {
    by: 'administrator',
    input: ({ otherKeyId }) => ({ id: otherKeyId, force: true }),
    action: 'revoke_api_key',
  },
  'AdminService/RevokeAllAccountKeys': {
    by: 'administrator',
    input: ({ otherId }) => ({ id: otherId }),
    action: 'revoke_api_key',
  },
  'AdminService/DecideAutofill': {
    by: 'administrator',
    input: async (world) => ({ id: world.accountId, value: await world.registered(), approved: true }),
  },
  'AdminService/ApproveAccount': { by: 'administrator', input: ({ things }) => ({ id: String(things.waiting) }) },
  'AdminService/SuspendAccount': { by: 'administrator', input: ({ things }) => ({ id: String(things.account) }) },
  'AdminService/ResumeAccount': { by: 'administrator', input: ({ things }) => ({ id: String(things.account) }) },

  'AdminService/CloseAccount': { by: 'administrator', input: ({ things }) => ({ id: String(things.account) }) },
  'AdminService/ReopenAccount': { by: 'administrator', input: ({ things }) => ({ id: String(things.account) }) },

  'AdminService/CreateAdministrator': { by: 'administrator', input: () => ({ name: 'Brahim', scopes: ['audit'] }) },
  'AdminService/RevokeAdministrator': {
    by: 'administrator',
    input: ({ things }) => ({ id: String(things.administrator) }),
  },
};
