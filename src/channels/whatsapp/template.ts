// From a message of ours to the body of POST /{phone number id}/messages: an authentication template with the code in it.

import type { OutgoingMessage } from '../channel.ts';
import type { AppAccount } from './account.ts';

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

/** How long the platform tries to deliver, seconds: the longest life of a session by default. 30 to 900 for authentication. */
const deliverWithinSeconds = 600;

/** The body of POST /{account}/message_templates. The platform writes the words itself. */
export function authenticationTemplate(name: string, language: string, expiryMinutes: number): object {
  return {
    name,
    language,
    category: 'AUTHENTICATION',
    message_send_ttl_seconds: deliverWithinSeconds,
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: expiryMinutes },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  };
}
