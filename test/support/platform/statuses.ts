// The messaging platform's own samples of callbacks about messages, typed from its reference: "status messages webhook", in the form of
// 2026 (recipients known by a name of the business's own and not by their number) and the form before it, and "errors messages webhook".

export const sampleNumber = '106540352242922';
const metadata = { display_phone_number: '15550783881', phone_number_id: sampleNumber };

const callback = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }],
    },
  ],
});

export const sampleWamid = 'wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI3MTE5MjY2MUQ2QjZCQzFGODYA';
const about = { id: sampleWamid, timestamp: '1750263773', recipient_id: '16505551234' };
const pricing = { billable: true, pricing_model: 'PMP', category: 'authentication', type: 'regular' };

/** An error as it stands in a status and in `value.errors`. */
const sampleError = (code: number, title: string, details: string) => ({
  code,
  title,
  message: title,
  error_data: { details },
  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
});

const experiment = sampleError(
  130472,
  "User's number is part of an experiment",
  "Failed to send message because this user's phone number is part of an experiment",
);
const locked = sampleError(131031, 'Business Account locked', 'Business Account has been locked.');

export const statusCallbacks = {
  sent: callback({ statuses: [{ ...about, status: 'sent', pricing }] }),
  delivered: callback({ statuses: [{ ...about, status: 'delivered', pricing }] }),
  read: callback({ statuses: [{ ...about, status: 'read', pricing }] }),
  played: callback({ statuses: [{ ...about, status: 'played' }] }),
  /** With a conversation, as before July 2025. */
  delivered_in_conversation: callback({
    statuses: [
      {
        ...about,
        status: 'delivered',
        conversation: { id: '7270432eae37498234f4444b35ffc5', origin: { type: 'authentication' } },
        pricing: { billable: true, pricing_model: 'CBP', category: 'authentication' },
      },
    ],
  }),
  /** The number of the recipient is left out, and the business knows them by an id of its own. */
  delivered_by_user_id: callback({
    contacts: [{ profile: { name: 'Test Name' }, user_id: 'US.13491208655302741918' }],
    statuses: [
      {
        id: sampleWamid,
        timestamp: about.timestamp,
        recipient_user_id: 'US.13491208655302741918',
        status: 'delivered',
        pricing,
      },
    ],
  }),
  failed: callback({ statuses: [{ ...about, status: 'failed', errors: [experiment] }] }),
  failed_locked: callback({ statuses: [{ ...about, status: 'failed', errors: [locked] }] }),
} as const;

/** "A problem at the level of the app or of the account prevents a request": errors, and no message they are about. */
export const errorsCallback = callback({ errors: [locked] });

export const templateCallback = {
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      time: 1751247548,
      changes: [
        {
          field: 'message_template_status_update',
          value: {
            event: 'REJECTED',
            message_template_id: 1689556908129835,
            message_template_name: 'login_code',
            message_template_language: 'en',
            reason: 'INVALID_FORMAT',
            message_template_category: 'AUTHENTICATION',
            rejection_info: {
              reason: 'Your template has parameters placed next to each other without text between them.',
              recommendation: 'Separate parameters with descriptive text.',
            },
          },
        },
      ],
    },
  ],
};
