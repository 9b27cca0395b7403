// A user logs in by a code: with openapi-fetch and the types that openapi-typescript makes.
import createClient from 'openapi-fetch';
import type { components, paths } from './client/schema.js';
import { codeOn, required } from './phone.js';

const to = process.argv[2] ?? '';
const client = createClient<paths>({
  baseUrl: required('RAMZ_BASE_URL'),
  headers: { authorization: `Bearer ${required('RAMZ_API_KEY')}` },
});
const request: components['schemas']['SendRequest'] = { to, channel: 'sms', purpose: 'login' };
const sent = await client.POST('/v1/verify/send', { body: request });
if (sent.error) throw new Error(sent.error.error.code);
const { id } = sent.data;
const checked = await client.POST('/v1/verify/check', { body: { id, code: await codeOn(to) } });
const { data: session } = await client.GET('/v1/verify/sessions/{id}', { params: { path: { id } } });
if (!checked.data?.valid || session?.status !== 'verified') throw new Error(JSON.stringify(session));
if (Date.parse(session.verified_at ?? '') < Date.parse(session.created_at)) throw new Error('verified too early');
const refused = await client.GET('/v1/verify/sessions/{id}', { params: { path: { id: 'vrf_none' } } });
if (refused.error?.error.code !== 'session_not_found') throw new Error('found');
console.log(session.status, session.messages[0]?.channel);
