// The platform's parties: the app and its fixed identity, business accounts, their phone numbers, and the tokens that may use them.
// The identity is made up and always the same, so that a configuration written once fits the next start; it is worth nothing elsewhere.

import { randomBytes, randomInt } from 'node:crypto';

export interface PlatformIdentity {
  /** The platform's version of its API; paths begin with it. */
  version: string;
  appId: string;
  appSecret: string;
  verifyToken: string;
  /** The system user's token: it may do everything in every business account. */
  systemToken: string;
  /** The configuration of the signup dialog. */
  configId: string;
  businessId: string;
  wabaId: string;
  phoneNumberId: string;
  /** E.164. */
  phoneNumber: string;
  /** The sender that the phone shows. */
  verifiedName: string;
  /** Name of the approved authentication template. */
  templateName: string;
}

export const sandboxIdentity: PlatformIdentity = {
  version: 'v25.0',
  appId: '700100200300400',
  appSecret: 'sandbox-app-secret',
  verifyToken: 'sandbox-verify-token',
  systemToken: 'EAASandboxSystemUser',
  configId: '700100200300499',
  businessId: '700100200300401',
  wabaId: '700100200300402',
  phoneNumberId: '700100200300403',
  phoneNumber: '+213550009900',
  verifiedName: 'Ramz',
  templateName: 'ramz_code',
};

/** The `messaging` section of a configuration file that fits; `graphBaseUrl` is where the version's path begins. */
export function messagingConfig(identity: PlatformIdentity, graphBaseUrl: string): Record<string, unknown> {
  return {
    graph_base_url: graphBaseUrl,
    graph_version: identity.version,
    phone_number_id: identity.phoneNumberId,
    access_token: identity.systemToken,
    app_secret: identity.appSecret,
    verify_token: identity.verifyToken,
    template: { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' } },
    signup: {
      app_id: identity.appId,
      config_id: identity.configId,
      sdk_url: `${graphBaseUrl}/sdk.js`,
      dialog_url: graphBaseUrl,
      allowed_origins: [new URL(graphBaseUrl).origin],
    },
    tariff: [
      {
        version: 'sandbox-1',
        valid_from: '2026-01-01T00:00:00Z',
        currency: 'USD',
        amount: '0.0212',
        charged: 'delivery',
      },
    ],
  };
}

/** Id of a message: `wamid.` and base64 that contains the number, as real ones do. Clients must not parse it. */
export function newWamid(to: string): string {
  const digits = to.replace(/\D/g, '');
  const inside = Buffer.concat([
    Buffer.from([0x1c, 0x18, digits.length]),
    Buffer.from(digits, 'ascii'),
    Buffer.from([0x15, 0x02, 0x00, 0x11, 0x18, 0x12]),
    Buffer.from(randomBytes(9).toString('hex').toUpperCase(), 'ascii'),
    Buffer.from([0x00]),
  ]);
  return `wamid.${inside.toString('base64')}`;
}

/** Id of anything else: 15 digits. */
export const newNodeId = (): string => `7${randomInt(10 ** 13, 10 ** 14)}`;

const newToken = (): string => `EAASandbox${randomBytes(24).toString('base64url')}`;

export const newCode = (): string => `AQ${randomBytes(48).toString('base64url')}`;

export interface PhoneNumber {
  id: string;
  wabaId: string;
  /** E.164. */
  number: string;
  verifiedName: string;
  /** Only a CONNECTED (registered) number sends. */
  status: 'PENDING' | 'CONNECTED' | 'DISCONNECTED';
  /** Two-step verification; null until the first registration sets it. */
  pin: string | null;
  /** Calls of register and deregister. */
  registrations: number;
  /** Whether its owner has shown that it is theirs; only then can it be registered. */
  verified: boolean;
  /** How many people its business may write to in 24 hours; absent = `TIER_2K`. It is only said: messages beyond it are taken. */
  messagingLimit?: string;
}

export interface Waba {
  id: string;
  businessId: string;
  name: string;
  /** Null while the app is not subscribed: then no webhook about this account goes out. */
  subscription: { overrideUrl: string | null } | null;
  /** Disabled by the platform: nothing can be sent. */
  disabled: boolean;
}

export interface Token {
  token: string;
  /** Null: every account (the system user). */
  wabaId: string | null;
  /** The app the token was made for; absent = the app of this sandbox. */
  appId?: string;
  /** Unix seconds; absent = never. */
  expiresAt?: number;
  revoked: boolean;
}

export class Accounts {
  readonly wabas = new Map<string, Waba>();
  readonly phones = new Map<string, PhoneNumber>();
  readonly tokens = new Map<string, Token>();
  /** Whether numbers of new accounts are verified by the signup itself. */
  verifiesNumbers = true;

  constructor(identity: PlatformIdentity) {
    const { wabaId: id, businessId, verifiedName: name, phoneNumberId, phoneNumber, systemToken } = identity;
    this.wabas.set(id, { id, businessId, name, subscription: { overrideUrl: null }, disabled: false });
    const own: PhoneNumber = {
      id: phoneNumberId,
      wabaId: id,
      number: phoneNumber,
      verifiedName: name,
      status: 'CONNECTED',
      pin: null,
      registrations: 0,
      verified: true,
    };
    this.phones.set(own.id, own);
    this.tokens.set(systemToken, { token: systemToken, wabaId: null, revoked: false });
  }

  /** A business's account as the signup dialog makes it; not yet registered, not yet subscribed. */
  addWaba(name: string): Waba {
    const waba: Waba = { id: newNodeId(), businessId: newNodeId(), name, subscription: null, disabled: false };
    this.wabas.set(waba.id, waba);
    return waba;
  }

  addPhone(wabaId: string, number: string, verifiedName: string): PhoneNumber {
    const phone: PhoneNumber = {
      id: newNodeId(),
      wabaId,
      number,
      verifiedName,
      status: 'PENDING',
      pin: null,
      registrations: 0,
      verified: this.verifiesNumbers,
    };
    this.phones.set(phone.id, phone);
    return phone;
  }

  phonesOf(wabaId: string): PhoneNumber[] {
    return [...this.phones.values()].filter((phone) => phone.wabaId === wabaId);
  }

  /** A business token: it sees this account and no other. */
  issueToken(wabaId: string): Token {
    const issued: Token = { token: newToken(), wabaId, revoked: false };
    this.tokens.set(issued.token, issued);
    return issued;
  }

  /** Every business token of the account; the system user's stays. */
  revokeTokensOf(wabaId: string): void {
    for (const token of this.tokens.values()) if (token.wabaId === wabaId) token.revoked = true;
  }
}

export const mayUse = (token: Token, wabaId: string): boolean => token.wabaId === null || token.wabaId === wabaId;

/** A phone number as GET shows it. */
export function shownPhone({ id, number, verifiedName, status, verified }: PhoneNumber): Record<string, unknown> {
  return {
    id,
    display_phone_number: number,
    verified_name: verifiedName,
    code_verification_status: verified ? 'VERIFIED' : 'NOT_VERIFIED',
    quality_rating: 'GREEN',
    platform_type: status === 'CONNECTED' ? 'CLOUD_API' : 'NOT_APPLICABLE',
    throughput: { level: status === 'CONNECTED' ? 'STANDARD' : 'NOT_APPLICABLE' },
    status,
  };
}

/** The fields of a number that are shown only when they are asked for. */
export function shownHealth(phone: PhoneNumber, waba: Waba, appId: string): Record<string, unknown> {
  const payment = {
    error_code: 141000,
    error_description: 'The WhatsApp Business Account is disabled.',
    possible_solution: 'Ask for a review in the Business Support Home.',
  };
  const canSend = waba.disabled ? 'BLOCKED' : 'AVAILABLE';
  const entity = (entity_type: string, id: string) => ({ entity_type, id, can_send_message: 'AVAILABLE' });
  return {
    health_status: {
      can_send_message: canSend,
      entities: [
        entity('PHONE_NUMBER', phone.id),
        { ...entity('WABA', waba.id), can_send_message: canSend, ...(waba.disabled ? { errors: [payment] } : {}) },
        entity('BUSINESS', waba.businessId),
        entity('APP', appId),
      ],
    },
    name_status: 'APPROVED',
    is_on_biz_app: false,
    whatsapp_business_manager_messaging_limit: phone.messagingLimit ?? 'TIER_2K',
  };
}
