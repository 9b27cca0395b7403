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
