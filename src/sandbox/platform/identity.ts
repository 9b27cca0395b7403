// Who the sandbox is at its messaging platform: the app, the platform's own business account and number. Made up, always
// the same, so that a configuration written once fits the next start; worth nothing anywhere else.

export interface PlatformIdentity {
  /** The platform's version of its API; paths begin with it. */
  version: string;
  appId: string;
  appSecret: string;
  verifyToken: string;
  /** Of the system user: may do everything in every business account. */
  systemToken: string;
  /** Of the signup dialog. */
  configId: string;
  businessId: string;
  wabaId: string;
  phoneNumberId: string;
  /** E.164. */
  phoneNumber: string;
  /** What the phone shows as the sender. */
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
