// What must work in every runtime, without anything of Node. Throws where it does not.
import { ApiError, NotFoundError, Ramz, SignatureError, webhooks } from '@ramz/sdk';
import { FakeRamz } from '@ramz/sdk/testing';

const secret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';

function assert(condition, what) {
  if (!condition) throw new Error(`not so: ${what}`);
}

/** In memory. Returns how much was looked at. */
export async function inMemory() {
  const ramz = new FakeRamz();
  const { id, createdAt } = await ramz.verify.send({ to: '+213550000001', clientReference: 'طلب 🙂' });
  assert(createdAt instanceof Date, 'times are dates');
  assert((await ramz.verify.check({ id, code: '111111' })).reason === 'incorrect_code', 'a wrong code is a result');
  assert((await ramz.verify.check({ id, code: '000000' })).valid, 'the right code is valid');
  assert((await ramz.verify.get(id)).clientReference === 'طلب 🙂', 'text survives');
  let updates = 0;
  for await (const { session } of ramz.verify.watch(id)) updates += session.status === 'verified' ? 1 : 0;
  assert(updates === 1, 'a watch ends');
  const error = await ramz.verify.get('vrf_x').catch((caught) => caught);
  assert(error instanceof NotFoundError && error instanceof ApiError && error.name === 'NotFoundError', 'errors');

  const body = new TextEncoder().encode(
    '{"id":"evt_1","type":"session.verified","data":{"session":{"client_reference":"طلب"}}}',
  );
  const headers = new Headers(await webhooks.sign(body, secret));
  assert((await webhooks.verify(body, headers, secret)).data.session.clientReference === 'طلب', 'webhooks');
  body[20] ^= 1;
  const forged = await webhooks.verify(body, headers, secret).catch((caught) => caught);
  assert(forged instanceof SignatureError && forged.reason === 'no_match', 'forged webhooks');
}

/** Against the service, in test mode. */
export async function online(options) {
  const ramz = new Ramz(options);
  const to = `+21355${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  const { id } = await ramz.verify.send({ to });
  const statuses = [];
  for await (const { session } of ramz.verify.watch(id)) {
    statuses.push(session.status);
    if (statuses.length === 1) assert((await ramz.verify.check({ id, code: '000000' })).valid, 'valid');
  }
  assert(statuses.at(-1) === 'verified', `watched: ${statuses}`);
  const found = [];
  for await (const session of ramz.verify.list({ to })) found.push(session.id);
  assert(found.join() === id, 'listed');
}
