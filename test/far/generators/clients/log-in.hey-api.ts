// A user logs in by a code: with the client that hey-api makes.
import { client } from './client/client.gen.js';
import { check, getSession, send } from './client/index.js';
import { codeOn, required } from './phone.js';

const to = process.argv[2] ?? '';
client.setConfig({ baseUrl: required('RAMZ_BASE_URL'), auth: required('RAMZ_API_KEY') });
const { data: sent } = await send({ body: { to, channel: 'sms', purpose: 'login' }, throwOnError: true });
const { data: checked } = await check({ body: { id: sent.id, code: await codeOn(to) }, throwOnError: true });
const { data: session } = await getSession({ path: { id: sent.id }, throwOnError: true });
if (!checked.valid || session.status !== 'verified') throw new Error(JSON.stringify(session));
if (Date.parse(session.verified_at ?? '') < Date.parse(session.created_at)) throw new Error('verified too early');
const { error } = await getSession({ path: { id: 'vrf_none' } });
if (error?.error.code !== 'session_not_found') throw new Error('found');
console.log(session.status, session.messages[0]?.channel);
