// Login with a code, and the webhook that tells what became of it.

import { randomBytes } from 'node:crypto';
import { ApiError, Ramz, RamzError, SignatureError, webhooks } from '@ramz/sdk';
import fastify from 'fastify';

const ramz = new Ramz(); // RAMZ_BASE_URL, RAMZ_API_KEY
const app = fastify();
const logins = new Map(); // token -> phone; a database in real life
const handled = new Set(); // ids of events
// Beside what is wrong with the number or the code, what a visitor can do something about.
const theirs = ['session_not_found', 'resend_too_soon', 'too_many_sends', 'number_locked', 'number_rate_limited'];

const text = { type: 'string' };
const bodyOf = (...names) => ({
  schema: {
    body: { type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, text])) },
  },
});

app.post('/login/start', bodyOf('phone'), async (request, reply) => {
  const session = await ramz.verify.send({ to: request.body.phone, purpose: 'login' });
  return reply.code(202).send({ channel: session.channel, resendAfter: session.resendAfter });
});

app.post('/login/check', bodyOf('phone', 'code'), async (request, reply) => {
  const { phone, code } = request.body;
  const answer = await ramz.verify.check({ to: phone, purpose: 'login', code });
  if (!answer.valid)
    return reply.code(401).send({ reason: answer.reason, attemptsRemaining: answer.attemptsRemaining });
  const session = await ramz.verify.get(answer.id);
  // Without the scope `numbers` the number is masked, and strangers whose masked numbers are the same would share a login.
  if (!/^\+\d+$/.test(session.to)) throw new Error('the API key needs the scope numbers');
  const token = randomBytes(32).toString('base64url');
  logins.set(token, session.to); // In one form, however it was typed.
  // Behind https add `; Secure`.
  return reply.code(204).header('set-cookie', `session=${token}; HttpOnly; SameSite=Lax; Path=/`).send();
});

app.get('/me', async (request, reply) => {
  const token = /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const phone = logins.get(token);
  return phone ? { phone } : reply.code(401).send({ error: 'not logged in' });
});

// A context of its own: here bodies stay bytes, for the signature.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhooks/ramz', async (request, reply) => {
    const event = await webhooks.verify(request.body, request.headers, process.env.RAMZ_WEBHOOK_SECRET);
    // Events come at least once.
    if (!handled.has(event.id)) {
      const { type, data } = event;
      if (type === 'receipt.updated') console.log(type, data.sessionId, data.status);
      if (type.startsWith('session.')) console.log(type, data.sessionId, data.session.status);
      handled.add(event.id); // After the work: what is left half done comes again.
    }
    return reply.code(204).send();
  });
});

app.setErrorHandler((error, _request, reply) => {
  if (error instanceof SignatureError) return reply.code(400).send({ error: error.reason });
  if (error instanceof ApiError && (['to', 'code'].includes(error.field) || theirs.includes(error.code))) {
    if (error.retryAfterSeconds) reply.header('retry-after', error.retryAfterSeconds);
    return reply.code(error.status).send({ error: error.message });
  }
  // A request that is no JSON, say.
  if (!(error instanceof RamzError) && error.statusCode < 500)
    return reply.code(error.statusCode).send({ error: error.message });
  // A key that is refused, a limit of the account, no answer: for whoever runs this, and none of the visitor's business.
  console.error(`${error.name}: ${error.message} ${error.code ?? ''} ${error.requestId ?? ''}`.trimEnd());
  return reply.code(503).send({ error: 'try again later' });
});

await app.listen({ port: Number(process.env.PORT ?? 3000) });
