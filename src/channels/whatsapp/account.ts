// The account a message goes out from, the platform's own or a business's: the number, the tariff, and the template in which the
// code goes out. Sending and billing take both kinds of account in this one form.

import type { MessagingConfig, TariffConfig } from '../../config.ts';
import type { BilledBy, Tariff } from '../../core/money/cost.ts';
import type { Language } from '../../core/verify/session.ts';
import type { WabaHealth } from '../../core/waba/link.ts';
import type { OutgoingMessage } from '../channel.ts';
import { tariffInForce } from '../tariff.ts';

export interface AppAccount {
  /** The Graph API's id of the number, which is not the number. */
  phoneNumberId: string;
  /** Base address and version: `https://graph.facebook.com/v25.0`. */
  graphUrl: string;
  accessToken: string;
  template: { name: string; languages: Readonly<Record<Language, string>> };
  ratePerSecond: number;
  /** Between two messages to one phone. */
  pairIntervalMs: number;
  responseTimeoutMs: number;
  tariff: readonly TariffConfig[];
  billedBy: BilledBy;
  /** Name of the business whose own number it is; null = the platform's. */
  ownerName: string | null;
}

/** The part of an account that a message's status needs to be billed. */
export type AppBilling = Pick<AppAccount, 'tariff' | 'billedBy'>;

/** The platform's own number, as configured. */
export function platformAccount(config: MessagingConfig): AppAccount {
  const { phoneNumberId, accessToken, template, ratePerSecond, responseTimeoutMs, tariff } = config;
  return {
    phoneNumberId,
    accessToken,
    template,
    ratePerSecond,
    responseTimeoutMs,
    tariff,
    graphUrl: `${config.graphBaseUrl.replace(/\/+$/, '')}/${config.graphVersion}`,
    pairIntervalMs: config.pairIntervalSeconds * 1000,
    billedBy: 'service',
    ownerName: null,
  };
}

/** A business's own number: the same app and template, the business's token and rate, and the platform's bill goes to the business. */
export function ownAccount(
  config: MessagingConfig,
  own: { phoneNumberId: string; token: string; displayName: string; health: WabaHealth | null },
): AppAccount {
  const { phoneNumberId, token: accessToken, displayName: ownerName } = own;
  const ratePerSecond = rateOf(own.health);
  return { ...platformAccount(config), phoneNumberId, accessToken, ownerName, ratePerSecond, billedBy: 'platform' };
}

/** Messages a second that the platform takes from a number, whatever was agreed for the deployment's. Source: "Throughput". */
function rateOf(health: WabaHealth | null): number {
  if (health?.isOnBusinessApp) return 20;
  return health?.throughput === 'HIGH' ? 1_000 : 80;
}

export const tariffOf = ({ tariff, billedBy }: AppBilling, now: number): Tariff | null =>
  tariffInForce(tariff, now, () => ({ billedBy }));

/**
 * The code goes in twice: into the text, and into the button that copies or fills it in, which the API calls a `url`
 * button whatever it does. `biz_opaque_callback_data` comes back in every status of the message.
 */
export function templateMessage(message: OutgoingMessage, { template }: AppAccount): object {
  const { id, to, language, code } = message;
  const parameters = [{ type: 'text', text: code }];
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: to.replace('+', ''),
    type: 'template',
    biz_opaque_callback_data: id,
    template: {
      name: template.name,
      language: { policy: 'deterministic', code: template.languages[language] },
      components: [
        { type: 'body', parameters },
        { type: 'button', sub_type: 'url', index: '0', parameters },
      ],
    },
  };
}

/** What the platform takes for an authentication template: 30 to 900 seconds. */
const shortestDelivery = 30;
const longestDelivery = 900;

/**
 * How long the platform is to try to deliver, seconds: as set, else as long as the leg that waits for it. A message that came after its leg
 * would be paid for beside the call that followed it.
 */
export function deliverySeconds(set: number | null, cascade: readonly { channel: string; timeoutSeconds: number }[]) {
  const leg = Math.max(
    0,
    ...cascade.filter(({ channel }) => channel === 'whatsapp').map((each) => each.timeoutSeconds),
  );
  return set ?? Math.min(longestDelivery, Math.max(shortestDelivery, leg));
}

interface TemplateForm {
  name: string;
  language: string;
  /** Life of a code, minutes. */
  expiryMinutes: number;
  deliverWithinSeconds: number;
}

/** The only category whose templates take a code. */
export const codeCategory = 'AUTHENTICATION';

/** The body of POST /{account}/message_templates. The platform writes the words itself. */
export function authenticationTemplate({ name, language, expiryMinutes, deliverWithinSeconds }: TemplateForm): object {
  return {
    name,
    language,
    category: codeCategory,
    message_send_ttl_seconds: deliverWithinSeconds,
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: expiryMinutes },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  };
}
