// Who is who at the platform: business accounts, their phone numbers, and the tokens that may use them.

import type { PlatformIdentity } from './identity.ts';
import { newNodeId, newToken } from './ids.ts';

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
}

export interface Waba {
  id: string;
  businessId: string;
  name: string;
  /** Null while the app is not subscribed: then no webhook about this account goes out. */
  subscription: { overrideUrl: string | null } | null;
}

export interface Token {
  token: string;
  /** Null: every account (the system user). */
  wabaId: string | null;
  /** The app it was made for, where that is not the one the sandbox knows. */
  appId?: string;
  revoked: boolean;
}

export class Accounts {
  readonly wabas = new Map<string, Waba>();
  readonly phones = new Map<string, PhoneNumber>();
  readonly tokens = new Map<string, Token>();

  constructor(identity: PlatformIdentity) {
    const { wabaId: id, businessId, verifiedName: name, phoneNumberId, phoneNumber, systemToken } = identity;
    this.wabas.set(id, { id, businessId, name, subscription: { overrideUrl: null } });
    const own: PhoneNumber = {
      id: phoneNumberId,
      wabaId: id,
      number: phoneNumber,
      verifiedName: name,
      status: 'CONNECTED',
      pin: null,
      registrations: 0,
    };
    this.phones.set(own.id, own);
    this.tokens.set(systemToken, { token: systemToken, wabaId: null, revoked: false });
  }

  /** A business's account as the signup dialog makes it; not yet registered, not yet subscribed. */
  addWaba(name: string): Waba {
    const waba: Waba = { id: newNodeId(), businessId: newNodeId(), name, subscription: null };
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

/** As GET shows it. */
export function shownPhone({ id, number, verifiedName, status }: PhoneNumber): Record<string, unknown> {
  return {
    id,
    display_phone_number: number,
    verified_name: verifiedName,
    code_verification_status: 'VERIFIED',
    quality_rating: 'GREEN',
    platform_type: status === 'CONNECTED' ? 'CLOUD_API' : 'NOT_APPLICABLE',
    throughput: { level: status === 'CONNECTED' ? 'STANDARD' : 'NOT_APPLICABLE' },
    status,
  };
}
