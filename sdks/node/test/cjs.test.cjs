// CommonJS gets the same SDK.
const assert = require('node:assert/strict');
const { test } = require('node:test');
const sdk = require('@ramz/sdk');
const { FakeRamz } = require('@ramz/sdk/testing');

test('require', async () => {
  assert.ok(require.resolve('@ramz/sdk').includes('cjs'));
  const ramz = new FakeRamz();
  assert.ok(ramz instanceof sdk.Ramz);
  const { id } = await ramz.verify.send({ to: '+213550000001' });
  assert.equal((await ramz.verify.check({ id, code: '000000' })).valid, true);
  await assert.rejects(ramz.verify.get('vrf_x'), sdk.NotFoundError);
  const headers = await sdk.webhooks.sign('{}', 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=');
  assert.match(headers['webhook-signature'], /^v1,/);
});

test('the version is that of the package', () => {
  assert.equal(sdk.version, require('@ramz/sdk/package.json').version);
});

test('what is offered is the same for both', async () => {
  for (const name of ['@ramz/sdk', '@ramz/sdk/testing'])
    assert.deepEqual(Object.keys(require(name)).sort(), Object.keys(await import(name)).sort());
});
