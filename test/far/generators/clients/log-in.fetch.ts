// A user logs in by a code: with the client that openapi-generator makes for TypeScript (typescript-fetch).
import { ChannelInput, Configuration, ResponseError, VerifyApi } from './client/index.js';
import { codeOn, required } from './phone.js';

const to = process.argv[2] ?? '';
const verify = new VerifyApi(
  new Configuration({ basePath: required('RAMZ_BASE_URL'), accessToken: required('RAMZ_API_KEY') }),
);
const sent = await verify.send({ sendRequest: { to, channel: ChannelInput.Sms, purpose: 'login' } });
const { valid } = await verify.check({ checkRequest: { id: sent.id, code: await codeOn(to) } });
const session = await verify.getSession({ id: sent.id });
if (!valid || session.status !== 'verified') throw new Error(JSON.stringify(session));
if (session.verifiedAt === undefined || session.verifiedAt < session.createdAt) throw new Error('verified too early');
const refused = await verify.getSession({ id: 'vrf_none' }).catch((error: unknown) => error);
if (!(refused instanceof ResponseError) || refused.response.status !== 404) throw new Error('found');
console.log(session.status, session.messages[0]?.channel);
