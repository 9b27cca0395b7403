// What each answer of the platform means while an account is being linked. The calls themselves are tested against the
// sandbox (test/integration/waba).
import { expect, test } from 'vitest';
import type { Exchange, GraphCall } from '../../../../src/channels/whatsapp/graph.ts';
import { linking } from '../../../../src/channels/whatsapp/linking.ts';

const access = { token: 'EAAB', wabaId: '104', phoneNumberId: '109' };

function platform(exchange: Exchange) {
  const calls: GraphCall[] = [];
  const graph = linkingBy(async (call) => {
    calls.push(call);
    return exchange;
  });
  return { graph, calls };
}
function linkingBy(call: (call: GraphCall) => Promise<Exchange>) {
  return linking({
    client: { call },
    graphUrl: 'https://graph.example/v25.0',
    app: { id: '700', secret: 'app secret' },
    template: { name: 'login_code', languages: { ar: 'ar', fr: 'fr', en: 'en', more: 'fr' } },
    expiryMinutes: 10,
    deliverWithinSeconds: 30,
  });
}
const answered = (status: number, body: unknown): Exchange => ({ kind: 'answered', status, body });
const refused = (code: number, more: object = {}) => answered(400, { error: { code, ...more } });

test.each([
  ['a timeout', { kind: 'unknown', reason: 'timeout' }, { kind: 'again', code: 'timeout' }],
  ['no connection', { kind: 'not_sent', code: 'ECONNREFUSED' }, { kind: 'again', code: 'ECONNREFUSED' }],
  ['a gateway’s page', answered(502, undefined), { kind: 'again', code: 'HTTP 502' }],
  ['a gateway that points elsewhere', answered(302, undefined), { kind: 'again', code: 'HTTP 302' }],
  ['too many calls', answered(429, undefined), { kind: 'again', code: 'HTTP 429' }],
  ['a success that says nothing', answered(200, { ok: 1 }), { kind: 'again', code: 'unreadable_answer' }],
  ['an error that passes', refused(80007), { kind: 'again', code: '80007' }],
  ['one that says so itself', refused(999, { is_transient: true }), { kind: 'again', code: '999' }],
  ['wait a few minutes', refused(133015), { kind: 'again', code: '133015' }],
  [
    'somebody else’s 404',
    answered(404, undefined),
    { kind: 'refused', reason: 'registration_refused', code: 'HTTP 404' },
  ],
  ['another PIN', refused(133005), { kind: 'refused', reason: 'pin_refused', code: '133005' }],
  ['a PIN guessed too often', refused(133008), { kind: 'refused', reason: 'pin_refused', code: '133008' }],
  ['a lock, or another PIN', refused(131031), { kind: 'refused', reason: 'registration_refused', code: '131031' }],
  ['a block', refused(368), { kind: 'refused', reason: 'account_disabled', code: '368' }],
  ['the token', refused(190), { kind: 'refused', reason: 'token_refused', code: '190' }],
  ['a permission', refused(10), { kind: 'refused', reason: 'permission_missing', code: '10' }],
  [
    'what may not be seen',
    refused(100, { error_subcode: 33 }),
    { kind: 'refused', reason: 'permission_missing', code: '100' },
  ],
  [
    'an error with null beside it',
    refused(190, { error_subcode: null, is_transient: null, fbtrace_id: null }),
    { kind: 'refused', reason: 'token_refused', code: '190' },
  ],
  ['a parameter', refused(100), { kind: 'refused', reason: 'registration_refused', code: '100' }],
  ['success', answered(200, { success: true }), { kind: 'done' }],
] as [string, Exchange, object][])('registering: %s', async (_, exchange, meaning) => {
  expect(await platform(exchange).graph.register(access, '482913')).toEqual(meaning);
});

test('the number must be in the list, by its id', async () => {
  const listed = { id: '109', display_phone_number: '+213 550', verified_name: 'Shop', status: 'CONNECTED' };
  const find = async (...data: object[]) => platform(answered(200, { data })).graph.findNumber(access);
  expect(await find({ ...listed, platform_type: 'CLOUD_API' })).toEqual({
    kind: 'done',
    number: {
      ...{ wabaId: access.wabaId, phoneNumberId: '109', phoneNumber: '+213 550', displayName: 'Shop' },
      ...{ registered: true, verified: true },
    },
  });
  for (const word of ['NOT_VERIFIED', 'UNVERIFIED', 'EXPIRED']) {
    const number = { verified: false };
    expect(await find({ ...listed, code_verification_status: word })).toMatchObject({ number });
  }
  // Connected, but to something else.
  expect(await find({ ...listed, platform_type: 'ON_PREMISE' })).toMatchObject({ number: { registered: false } });
  expect(await find({ ...listed, id: '1090' })).toMatchObject({ kind: 'refused', reason: 'number_not_found' });
  expect(await find()).toMatchObject({ kind: 'refused', reason: 'number_not_found' });
});

test('a name is a label whatever the platform lists: no character that could not be stored, no length that could not be shown', async () => {
  const list = (...data: unknown[]) => platform(answered(200, { data })).graph.findNumber(access);
  const number = {
    id: '109',
    display_phone_number: '+213\u0000 550',
    verified_name: `\u0000Sh\u001bop\ud800${'x'.repeat(999)}`,
  };
  const found = await list(number);
  expect(found).toMatchObject({
    number: { phoneNumber: '+213 550', displayName: expect.stringMatching(/^Shopx{196}$/) },
  });
  const cut = await list({ id: '109', verified_name: `${'x'.repeat(199)}😀` });
  expect(cut).toMatchObject({ number: { displayName: `${'x'.repeat(199)}\ufffd` } });
  expect(await list({ id: '109', verified_name: 7 })).toMatchObject({ number: { phoneNumber: '', displayName: '' } });
});

test('what limits a number is told in words that the database takes: no NUL, no half of a character', async () => {
  const error_description = `Pay\0 ${'x'.repeat(495)}😀😀`;
  const errors = [{ error_code: 141006, error_description, possible_solution: 'Pay.' }];
  const entities = [{ entity_type: 'WABA', id: '104', can_send_message: 'BLOCKED', errors }];
  const body = { health_status: { can_send_message: 'BLOCKED', entities } };
  const stated = await platform(answered(200, body)).graph.readHealth(access);
  const [problem] = stated.kind === 'done' ? stated.health.problems : [];
  expect(problem).toMatchObject({ part: 'WABA', code: '141006', text: expect.stringMatching(/^Pay x{495}/) });
  expect([problem?.text.length, problem?.text.isWellFormed()]).toEqual([500, true]);
});

test('what else is in the list is no reason not to find the number', async () => {
  const others = [null, 7, {}, { id: 108 }, { id: '108', verified_name: 'x'.repeat(9_999), status: 4 }];
  const graph = platform(answered(200, { data: [...others, { id: '109', verified_name: 'Shop' }] })).graph;
  expect(await graph.findNumber(access)).toMatchObject({ number: { displayName: 'Shop', registered: false } });
  const templates = [
    null,
    {},
    { name: 'login_code', language: 'fr' },
    { name: 'login_code', language: 'ar', status: 'APPROVED' },
  ];
  expect(await platform(answered(200, { data: templates })).graph.readTemplates(access)).toEqual({
    kind: 'done',
    templates: { ar: 'approved' },
    outdated: [],
  });
});

test('templates of other names and languages are passed over; words of the platform become ours', async () => {
  const states = { ar: 'APPROVED', fr: 'IN_APPEAL', en: 'PENDING_DELETION', es: 'APPROVED' };
  const data = Object.entries(states).map(([language, status]) => ({ name: 'login_code', language, status }));
  const { graph } = platform(
    answered(200, { data: [...data, { name: 'login_code_2', language: 'fr', status: 'REJECTED' }] }),
  );
  expect(await graph.readTemplates(access)).toEqual({
    kind: 'done',
    templates: { ar: 'approved', fr: 'pending', en: 'disabled' },
    outdated: [],
  });
  expect(graph.languages).toEqual(['ar', 'fr', 'en']);
});

test('a template of our name in another category is as good as rejected, and is not edited', async () => {
  const data = ['AUTHENTICATION', 'MARKETING', 'UTILITY'].map((category, at) => ({
    id: `90${at}`,
    name: 'login_code',
    language: ['ar', 'fr', 'en'][at],
    status: 'APPROVED',
    category,
    message_send_ttl_seconds: 600,
  }));
  expect(await platform(answered(200, { data })).graph.readTemplates(access)).toEqual({
    kind: 'done',
    templates: { ar: 'approved', fr: 'rejected', en: 'rejected' },
    outdated: ['900'],
  });
});

test('a template that is there counts as created; the request is as documented', async () => {
  const { graph, calls } = platform(refused(100, { error_subcode: 2388024 }));
  expect(await graph.createTemplate(access, 'fr')).toEqual({ kind: 'done' });
  expect(calls[0]).toMatchObject({
    url: 'https://graph.example/v25.0/104/message_templates',
    accessToken: 'EAAB',
    body: {
      name: 'login_code',
      language: 'fr',
      category: 'AUTHENTICATION',
      message_send_ttl_seconds: 30,
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 10 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
    },
  });
  expect(await platform(refused(100)).graph.createTemplate(access, 'fr')).toMatchObject({ reason: 'template_refused' });
});

test('the code is exchanged with the app’s secret, and without a token', async () => {
  const { graph, calls } = platform(answered(200, { access_token: 'EAAnew', token_type: 'bearer' }));
  expect(await graph.exchangeCode({ code: 'AQ&=B', redirectUri: null })).toEqual({ kind: 'done', token: 'EAAnew' });
  const [call] = calls;
  const query = new URL(call?.url ?? '').searchParams;
  expect(Object.fromEntries(query)).toEqual({ client_id: '700', client_secret: 'app secret', code: 'AQ&=B' });
  expect(call).toMatchObject({ method: 'GET', accessToken: null });
});

test('the accounts of a signup are those that the token may manage: ids of other permissions are no accounts', async () => {
  const asked: string[] = [];
  const answers: [RegExp, Exchange][] = [
    [
      /debug_token/,
      answered(200, {
        data: {
          app_id: '700',
          is_valid: true,
          granular_scopes: [
            { scope: 'business_management', target_ids: ['506914307656634'] },
            { scope: 'ads_management', target_ids: ['888'] },
            { scope: 'whatsapp_business_management', target_ids: ['104'] },
            { scope: 'whatsapp_business_messaging', target_ids: ['104'] },
            { scope: 'public_profile' },
          ],
        },
      }),
    ],
    [
      /\/104\/phone_numbers/,
      answered(200, { data: [{ id: '109', display_phone_number: '+213', verified_name: 'Shop' }] }),
    ],
    [/phone_numbers/, refused(100)], // "Tried accessing nonexisting field (phone_numbers) on node type (Business)"
  ];
  const call = async ({ url }: GraphCall) => {
    asked.push(url);
    return answers.find(([form]) => form.test(url))?.[1] ?? refused(100);
  };
  expect(await linkingBy(call).listNumbers({ token: 'EAAB', wabaId: '' })).toMatchObject({
    kind: 'done',
    numbers: [{ wabaId: '104', phoneNumberId: '109' }],
  });
  expect(asked).toHaveLength(2);
});

test.each(['CONNECTED', 'FLAGGED', 'RESTRICTED', 'RATE_LIMITED'])(
  'a number of the Cloud API that is %s is registered',
  async (status) => {
    const number = {
      id: '109',
      display_phone_number: '+213',
      verified_name: 'Shop',
      platform_type: 'CLOUD_API',
      status,
    };
    expect(await platform(answered(200, { data: [number] })).graph.findNumber(access)).toMatchObject({
      number: { registered: true },
    });
  },
);

test.each(['PENDING', 'DISCONNECTED', 'UNVERIFIED', 'BANNED'])('one that is %s is not', async (status) => {
  const number = { id: '109', display_phone_number: '+213', verified_name: 'Shop', platform_type: 'CLOUD_API', status };
  expect(await platform(answered(200, { data: [number] })).graph.findNumber(access)).toMatchObject({
    number: { registered: false },
  });
});
