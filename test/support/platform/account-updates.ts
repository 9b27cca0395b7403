// The messaging platform's own samples of the webhook `account_update`, all seventeen, typed from its reference page "account_update
// webhook reference" (April 2026). Ids and times are the samples'. The stand-in of src/sandbox knows nothing of them, so that a wrong
// belief of ours cannot agree with itself here.

/** The account that samples without `waba_info` are about: the id of the entry. */
export const entryWaba = '102290129340398';
/** The account that samples with `waba_info` are about; the entry names the partner's portfolio. */
export const sharedWaba = '980198427658004';
const portfolio = '2949482758682047';
const owner = '2329417887457253';

const update = (entry: string, time: number, value: { event: string; [field: string]: unknown }) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: entry, time, changes: [{ field: 'account_update', value }] }],
});
const ofAccount = (value: Parameters<typeof update>[2], time = 1743451903) => update(entryWaba, time, value);
const shared = (time: number, event: string, more: object = {}, waba_id = sharedWaba) =>
  update(portfolio, time, { event, waba_info: { waba_id, owner_business_id: owner, ...more } });
const solution = {
  solution_id: '1715120619246906',
  solution_partner_business_ids: [portfolio, '520744086200222'],
};

export const accountUpdates = {
  account_deleted: ofAccount({ event: 'ACCOUNT_DELETED' }),
  account_restriction: ofAccount(
    {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [
        { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1641330498 },
        { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', expiration: 1641330498 },
      ],
    },
    1641330498,
  ),
  account_violation: ofAccount({ event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ADULT' } }),
  ad_account_linked: shared(1744823932, 'AD_ACCOUNT_LINKED', { ad_account_linked: '980198427534243' }),
  authentication_international_eligibility: ofAccount({
    event: 'AUTH_INTL_PRICE_ELIGIBILITY_UPDATE',
    auth_international_rate_eligibility: {
      start_time: 1748780624,
      exception_countries: [{ country_code: 'ID', start_time: 1751347424 }],
    },
  }),
  account_disabled: ofAccount({
    event: 'DISABLED_UPDATE',
    ban_info: { waba_ban_state: 'REINSTATE', waba_ban_date: 'April 17, 2025' },
  }),
  mm_api_for_wa_terms_of_service: shared(1744823932, 'MM_LITE_TERMS_SIGNED'),
  partner_added: shared(1744823932, 'PARTNER_ADDED', solution),
  partner_app_installed: shared(
    1745337174,
    'PARTNER_APP_INSTALLED',
    { partner_app_id: '5731794616896507', ...solution },
    '1191624265890717',
  ),
  partner_app_uninstalled: shared(
    1748477359,
    'PARTNER_APP_UNINSTALLED',
    { owner_business_id: '1284923862322270', partner_app_id: '869361281603019' },
    '184943124712545',
  ),
  partner_led_business_verification_status: ofAccount(
    {
      event: 'PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE',
      partner_client_certification_info: {
        client_business_id: '2729063490586005',
        status: 'APPROVED',
        rejection_reasons: ['NONE'],
      },
    },
    1743138982,
  ),
  partner_removed: shared(1748477359, 'PARTNER_REMOVED'),
  partner_removed_wa_app_disconnection: update(portfolio, 1748477359, {
    event: 'PARTNER_REMOVED',
    waba_info: { waba_id: sharedWaba, owner_business_id: owner },
    disconnection_info: { reason: 'PRIMARY_INACTIVITY', initiated_by: 'SYSTEM' },
  }),
  primary_business_location_set: ofAccount({ event: 'BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE', country: 'IN' }),
  pricing_tiering_update: ofAccount({
    event: 'VOLUME_BASED_PRICING_TIER_UPDATE',
    volume_tier_info: {
      tier_update_time: 1743451903,
      pricing_category: 'UTILITY',
      tier: '25000001:50000000',
      effective_month: '2025-11',
      region: 'India',
    },
  }),
  account_offboarded: ofAccount({ event: 'ACCOUNT_OFFBOARDED' }),
  account_reconnected: ofAccount({ event: 'ACCOUNT_RECONNECTED' }),
} as const;

/** The documented forms of DISABLED_UPDATE beside the sample's REINSTATE. */
export const disabled = (waba_ban_state: 'DISABLE' | 'SCHEDULE_FOR_DISABLE' | 'REINSTATE') =>
  ofAccount({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state, waba_ban_date: 'April 17, 2025' } });
