// What each RPC refuses for the state that it finds, or for rules that the contract can't write down. An RPC that is not here
// fails the test by its name; so does an error code that its RPC declares and no case is answered with.
import type { JsonObject } from '@bufbuild/protobuf';
import { pages, type State, type States } from './state.ts';
import { freshNumber, nobody, type World } from './world.ts';

export function statesOf(world: World): Record<string, States> {
  const { a, other, limited, hasty, poor, guesser, full, keys, pending, adminToken, tokens, stopped } = world;
  const test = a.testKey;
  const send = (more: JsonObject = {}) => ({ to: freshNumber(), ...more });
  const again = (more: JsonObject): State => ({
    key: test,
    input: () => ({ to: pending.number, purpose: 'login', ...more }),
  });
  const id = (value: string) => () => ({ id: value });
  /** Of a resource that is found by its id. */
  const unknown = (prefix: string, theirs?: string, more: JsonObject = {}): Record<string, State> => ({
    'an id nobody has': { input: () => ({ id: nobody(prefix), ...more }) },
    'an id of another kind': { input: () => ({ id: nobody('xyz'), ...more }) },
    'no id at all': { input: () => ({ id: 'a/b c%é', ...more }) },
    ...(theirs === undefined
      ? {}
      : { 'of another account': { key: other.liveKey, input: () => ({ id: theirs, ...more }) } }),
    ...(theirs === undefined ? {} : { 'of the other mode': { key: test, input: () => ({ id: theirs, ...more }) } }),
  });
  const session = (more: JsonObject = {}): Record<string, State> => ({
    ...unknown('vrf', undefined, more),
    'of the other mode': { input: () => ({ id: pending.id, ...more }) },
    'of another account': { key: test, input: () => ({ id: world.theirId, ...more }) },
  });
  const link = { waba_id: '10420', phone_number_id: '10930' };
  const urls = (more: JsonObject): Record<string, State> => ({
    'at a private address': { at: 'strict', input: () => ({ url: 'https://10.0.0.1/', ...more }) },
    'without TLS': { at: 'strict', input: () => ({ url: 'http://shop.example/', ...more }) },
    'with a password': { input: () => ({ url: 'https://a:b@shop.example/', ...more }) },
    'at no host': { input: () => ({ url: 'https://', ...more }) },
    'at a host that has as many as it may': {
      at: 'strict',
      input: () => ({ url: 'https://taken.example/two', ...more }),
    },
  });

  return {
    'VerifyService/Send': {
      notReached: ['overloaded'],
      cases: {
        'is sent': { key: test, input: () => send() },
        'of an account whose budget is used up': { key: poor.liveKey, input: () => send() },
        'to a number that is stopped': { key: stopped.liveKey, input: () => ({ to: '+213664000001' }) },
        'to a national number': { input: () => ({ to: '0550123456' }) },
        'to no number': { input: () => ({ to: '+12' }) },
        'to letters': { input: () => ({ to: '+213abc' }) },
        'to a country code nobody has': { input: () => ({ to: '+9991234567' }) },
        'to a fixed line': { input: () => ({ to: '+21321555555' }) },
        'to a number too long': { input: () => ({ to: '+2135501234567' }) },
        'to another country': { input: () => ({ to: '+33612345678' }) },
        'to a scenario number with a live key': { at: 'strict', input: () => ({ to: '+213550000001' }) },
        'a channel that the cascade does not begin with': {
          input: () => send({ channel: 'voice', cascade: [{ channel: 'sms' }] }),
        },
        'a channel twice in the cascade': { input: () => send({ cascade: [{ channel: 'sms' }, { channel: 'sms' }] }) },
        'a leg too short for this deployment': {
          at: 'strict',
          input: () => send({ cascade: [{ channel: 'sms', timeout_seconds: 4 }] }),
        },
        'a code too short for this deployment': { input: () => send({ code_length: 4 }) },
        'a life too long for this deployment': { input: () => send({ ttl_seconds: 601 }) },
        'a sender name nobody has': { input: () => send({ sender_id: 'Nobody' }) },
        'a sender name that waits': { input: () => send({ sender_id: 'Alice' }) },
        'a site that is not registered': { input: () => send({ autofill: { web_origin: 'https://shop.example' } }) },
        'a site that waits': { input: () => send({ autofill: { web_origin: 'https://pending.example' } }) },
        'a site with a path': { input: () => send({ autofill: { web_origin: 'https://shop.example/x' } }) },
        'an app that is not registered': { input: () => send({ autofill: { android_app_hash: 'FA+9qCX9VSu' } }) },
        'outside the prefixes that the account allows': { key: keys.closed, input: () => send() },
        'for an address that is none': { input: () => send({ client: { ip: '203.0.113.7:443' } }) },
        'for a device that has had too many': {
          at: 'strict',
          key: limited.liveKey,
          input: () => send({ client: { device_id: 'of two' } }),
        },
        'to a prefix that its key is not for': { key: keys.bound, input: () => send() },
        'by a channel that is not there': { input: () => send({ channel: 'voice' }) },
        'a code of its own, beside another length': { input: () => send({ code: '123456', code_length: 8 }) },
        'a code of its own, without the scope': { key: keys.verify, input: () => send({ code: '123456' }) },
        'a code of its own, where none is taken': { at: 'strict', input: () => send({ code: '123456' }) },
        'again, with another language': again({ language: 'fr' }),
        'again, with another code length': again({ code_length: 8 }),
        'again, with another life': again({ ttl_seconds: 120 }),
        'again, with another sender name': again({ sender_id: 'Alicia' }),
        'again, with another cascade': again({ cascade: [{ channel: 'voice' }] }),
        'again, with another reference': again({ client_reference: 'order-2' }),
        'again, with another site': again({ autofill: { web_origin: 'https://shop.example' } }),
        'again, with an app': again({ autofill: { android_app_hash: 'FA+9qCX9VSu' } }),
        'again, too soon': again({}),
        'again, once too often': {
          at: 'strict',
          key: limited.testKey,
          input: () => ({ to: world.sentOnce, purpose: 'login' }),
        },
        'to a number that has had too many': {
          at: 'strict',
          key: limited.liveKey,
          input: () => ({ to: world.fullNumber, purpose: 'x' }),
        },
        'more than the account may': { at: 'strict', key: hasty.testKey, input: () => send() },
        'with an idempotency key of another request': { key: test, idempotencyKey: 'used', input: () => send() },
        'with an idempotency key too long': { key: test, idempotencyKey: 'k'.repeat(257), input: () => send() },
      },
    },
    'VerifyService/Check': {
      cases: {
        ...session({ code: '123456' }),
        'a wrong code': { key: test, input: () => ({ id: world.verifiedId, code: '123456' }) },
        letters: { key: test, input: () => ({ id: pending.id, code: 'abcdef' }) },
        'too few digits': { key: test, input: () => ({ id: pending.id, code: '12345' }) },
        'of a number without a session': { key: test, input: () => ({ to: freshNumber(), code: '123456' }) },
        'of another purpose': { key: test, input: () => ({ to: pending.number, purpose: 'pay', code: '123456' }) },
        'of no number': { key: test, input: () => ({ to: '+12', code: '123456' }) },
        'of a number with too many wrong codes': {
          at: 'strict',
          key: guesser.testKey,
          input: () => ({ id: world.lockedId, code: '123456' }),
        },
        'with an idempotency key of another request': {
          key: test,
          idempotencyKey: 'used',
          input: () => ({ id: pending.id, code: '654321' }),
        },
        'with an idempotency key too long': {
          key: test,
          idempotencyKey: 'k'.repeat(257),
          input: () => ({ id: pending.id, code: '123456' }),
        },
      },
    },
    'VerifyService/GetSession': { cases: { ...session(), 'is there': { key: test, input: id(pending.id) } } },
    'VerifyService/ListSessions': {
      cases: {
        ...pages(world.keysToken),
        'of no number': { input: () => ({ to: '+12' }) },
        'of a number, with a key that may see none': { key: keys.read, input: () => ({ to: pending.number }) },
        'are there': { key: test, input: () => ({}) },
      },
    },
    'VerifyService/GetSummary': {
      cases: {
        'is there': { input: () => ({}) },
        'of no time': { input: () => ({ since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' }) },
        'of too long a time': { input: () => ({ since: '2020-01-01T00:00:00Z' }) },
        'by day and hour': { input: () => ({ group_by: ['day', 'hour'] }) },
      },
    },
    'VerifyService/CancelSession': {
      cases: { ...session(), 'that is over': { key: test, input: id(world.verifiedId) } },
    },
    'VerifyService/ReportSession': {
      cases: {
        ...session({ outcome: 'fraud' }),
        'that was verified': { key: test, input: () => ({ id: world.verifiedId, outcome: 'fraud' }) },
        'that was verified, as verified': { key: test, input: () => ({ id: world.verifiedId, outcome: 'verified' }) },
      },
    },
    'VerifyService/WatchSession': {
      cases: {
        ...session(),
        'is there': { key: test, input: id(pending.id) },
        'one more than the account may': { at: 'strict', key: limited.testKey, input: id(world.limitedId) },
      },
    },

    'AccountService/CreateAccount': {
      cases: {
        'a blank name': { key: adminToken, input: () => ({ name: '   ' }) },
        'is made': { key: adminToken, input: () => ({ name: 'Shop' }) },
      },
    },
    'AccountService/GetAccount': { cases: { 'is there': { input: () => ({}) } } },
    'LimitsService/GetLimits': { cases: { 'are there': { input: () => ({}) } } },
    'AccountService/GetMeasures': { cases: { 'are there': { input: () => ({}) } } },
    'AccountService/UpdateAccount': {
      cases: {
        'a name, with a test key': { key: test, input: () => ({ name: 'X' }) },
        'in_country_only, with a test key': { key: test, input: () => ({ in_country_only: true }) },
        'a blank name': { input: () => ({ name: '   ' }) },
        'a channel twice in the cascade': { input: () => ({ cascade: [{ channel: 'sms' }, { channel: 'sms' }] }) },
        'a leg too short for this deployment': {
          at: 'strict',
          input: () => ({ cascade: [{ channel: 'sms', timeout_seconds: 4 }] }),
        },
        'a sender name that waits': { input: () => ({ default_sender_id: 'Alice' }) },
        'a site without a host': { input: () => ({ autofill: { web_origins: ['https://'] } }) },
        'an app hash twice': {
          input: () => ({ autofill: { android_apps: [app('com.example.one'), app('com.example.two')] } }),
        },
        'a brand that was rejected': { input: () => ({ brand: 'Other Bank' }) },
        'a text that was rejected': { input: () => ({ texts: [{ language: 'fr', text: '{code}, cher client' }] }) },
        'a brand with an address in it': { input: () => ({ brand: 'Shop at www.shop.example' }) },
        'a text without the code': { input: () => ({ texts: [{ language: 'fr', text: 'Bonjour' }] }) },
        'a text longer than one SMS': {
          input: () => ({ texts: [{ language: 'ar', text: `{code} ${'ب'.repeat(70)}` }] }),
        },
        'two texts in one language': {
          input: () => ({ texts: ['a {code}', 'b {code}'].map((text) => ({ language: 'fr', text })) }),
        },
        nothing: { input: () => ({}) },
      },
    },
    'AccountService/DecideWording': {
      cases: {
        'what the account does not ask for': {
          key: adminToken,
          input: () => ({ account_id: nobody('acct'), brand: 'Shop', status: 'approved' }),
        },
      },
    },

    'ApiKeyService/CreateApiKey': {
      cases: {
        'a blank name': { input: () => ({ name: '   ' }) },
        'a live key, with a test key': { key: test, input: () => ({ name: 'x', test: false }) },
        'a scope that the caller lacks': { key: keys.manage, input: () => ({ name: 'x', scopes: ['read'] }) },
        'that has expired': { input: () => ({ name: 'x', expires_at: '2020-01-01T00:00:00Z' }) },
        'that outlives the caller': {
          key: keys.brief,
          input: () => ({ name: 'x', expires_at: '2100-01-01T00:00:00Z' }),
        },
        'for more prefixes than the caller has': {
          key: keys.bound,
          input: () => ({ name: 'x', restrictions: { prefixes: ['+2'] } }),
        },
        'for an address that is none': { input: () => ({ name: 'x', restrictions: { addresses: ['10.0.0.0/33'] } }) },
        'one too many': { key: full.testKey, input: () => ({ name: 'x' }) },
      },
    },
    'ApiKeyService/ListApiKeys': {
      cases: { ...pages(world.keysToken, { include_revoked: true }), 'are there': { input: () => ({}) } },
    },
    'ApiKeyService/RevokeApiKey': {
      cases: {
        ...unknown('key', world.spareKeyId),
        'the last that may manage': { key: hasty.liveKey, input: id(hasty.liveKeyId) },
      },
    },

    'AdminService/CreateAdministrator': {
      // All there can be would be in the way of the cases after them: test/integration/api/administrators.test.ts.
      notReached: ['too_many_resources'],
      cases: {
        'a blank name': { key: adminToken, input: () => ({ name: '   ' }) },
        'that has expired': { key: adminToken, input: () => ({ name: 'x', expires_at: '2020-01-01T00:00:00Z' }) },
        'that outlives the caller': {
          key: tokens.auditor,
          input: () => ({ name: 'x', scopes: ['audit'], expires_at: '2100-01-01T00:00:00Z' }),
        },
        'a scope that the caller lacks': { key: tokens.auditor, input: () => ({ name: 'x', scopes: ['erase'] }) },
        'without the scope': { key: tokens.clerk, input: () => ({ name: 'x' }) },
      },
    },
    'AdminService/ListAdministrators': {
      cases: { ...pages(world.keysToken, {}, adminToken), 'are there': { key: adminToken, input: () => ({}) } },
    },
    'AdminService/RevokeAdministrator': {
      cases: {
        'an id nobody has': { key: adminToken, input: id(nobody('adm')) },
        'an id of another kind': { key: adminToken, input: id(world.spareKeyId) },
        'the last, where there is no other way in': { at: 'strict', key: tokens.auditor, input: id(tokens.auditorId) },
      },
    },
    'NumberService/EraseNumber': {
      cases: {
        'of a number nobody has': { input: () => ({ to: freshNumber() }) },
        'a national number': { input: () => ({ to: '0550123456' }) },
        'no number': { input: () => ({ to: '+12' }) },
      },
    },
    'AdminService/ListAccounts': {
      cases: { ...pages(world.keysToken, {}, adminToken), 'are there': { key: adminToken, input: () => ({}) } },
    },
    ...Object.fromEntries(
      Object.entries({
        FindAccount: {},
        ApproveAccount: {},
        SuspendAccount: { 'a closed account': { key: adminToken, input: id(world.closedId) } },
        ResumeAccount: { 'a closed account': { key: adminToken, input: id(world.closedId) } },
        CloseAccount: {},
        ReopenAccount: { 'an account that is being deleted': { key: adminToken, input: id(world.purgingId) } },
      }).map(([method, more]) => [
        `AdminService/${method}`,
        {
          cases: {
            ...more,
            'an id nobody has': { key: adminToken, input: id(nobody('acct')) },
            'an id of another kind': { key: adminToken, input: id(world.spareKeyId) },
            'without the scope': { key: tokens.auditor, input: id(nobody('acct')) },
          },
        },
      ]),
    ),
    'AdminService/ExportAccount': {
      cases: {
        'an id nobody has': { key: adminToken, input: id(nobody('acct')) },
        ...pages(world.keysToken, { id: world.closedId }, adminToken),
        'without the scope': { key: tokens.clerk, input: id(nobody('acct')) },
      },
    },
    'AdminService/EraseNumberEverywhere': {
      cases: {
        'a national number': { key: adminToken, input: () => ({ to: '0550123456' }) },
        'of an account that nobody has': {
          key: adminToken,
          input: () => ({ to: freshNumber(), account_id: nobody('acct') }),
        },
        'without the scope': { key: tokens.clerk, input: () => ({ to: freshNumber() }) },
      },
    },
    'LimitsService/ListStops': { cases: { ...pages(world.keysToken), 'are there': { input: () => ({}) } } },
    'LimitsService/LiftStop': {
      cases: {
        ...unknown('stop', world.stopId),
        'of the other mode': { key: stopped.testKey, input: id(world.stopId) },
      },
    },
    'LimitsService/DryRun': {
      cases: {
        'is looked at': { input: () => send() },
        'of a number that is stopped': { key: stopped.liveKey, input: () => ({ to: '+213664000001' }) },
        'to a national number': { input: () => ({ to: '0550123456' }) },
        'to another country': { input: () => ({ to: '+33612345678' }) },
        'to a scenario number with a live key': { at: 'strict', input: () => ({ to: '+213550000001' }) },
        'a sender name nobody has': { input: () => send({ sender_id: 'Nobody' }) },
        'a site that is not registered': { input: () => send({ autofill: { web_origin: 'https://shop.example' } }) },
        'a code of its own': { at: 'strict', input: () => send({ code: '123456' }) },
      },
    },
    'AdminService/UpdateAccountLimits': {
      cases: {
        'an account nobody is': { key: adminToken, input: () => ({ id: nobody('acct') }) },
        'a rule that is none': { key: adminToken, input: () => ({ id: other.id, rule_modes: { captcha: 'off' } }) },
        'a budget with and without a limit': {
          key: adminToken,
          input: () => ({
            id: other.id,
            budget: { spend_per_day: { DZD: '9' }, unlimited: ['sends_per_day', 'spend_per_day'] },
          }),
        },
        'without the scope': { key: tokens.clerk, input: () => ({ id: other.id, sends_per_second: 5 }) },
      },
    },
    'AdminService/RevokeAllAccountKeys': {
      cases: { 'an account nobody is': { key: adminToken, input: () => ({ id: nobody('acct') }) } },
    },
    'AdminService/ListAccountStops': {
      cases: { ...pages(world.keysToken, {}, adminToken), 'are there': { key: adminToken, input: () => ({}) } },
    },
    'AdminService/LiftAccountStop': {
      cases: {
        'an id nobody has': { key: adminToken, input: id(nobody('stop')) },
        'an id of another kind': { key: adminToken, input: id(a.id) },
        'without the scope': { key: tokens.clerk, input: id(world.stopId) },
      },
    },
    'AdminService/CreatePlatformEntry': {
      // As those of an account.
      notReached: ['too_many_resources', 'unimplemented'],
      cases: {
        'of no number': { key: adminToken, input: () => ({ list: 'block', value: '+12' }) },
        'is listed': { key: adminToken, input: () => ({ list: 'allow', value: '+2135519*' }) },
        'without the scope': { key: tokens.clerk, input: () => ({ list: 'block', value: '+213551*' }) },
      },
    },
    'AdminService/ListPlatformEntries': {
      cases: { ...pages(world.keysToken, {}, adminToken), 'are there': { key: adminToken, input: () => ({}) } },
    },
    'AdminService/DeletePlatformEntry': {
      cases: {
        'an id nobody has': { key: adminToken, input: id(nobody('lst')) },
        'of an account': { key: adminToken, input: id(world.listEntryId) },
      },
    },
    'AdminService/UnlockNumber': {
      cases: {
        'of an account nobody is': {
          key: adminToken,
          input: () => ({ id: nobody('acct'), to: freshNumber() }),
        },
        'of no number': { key: adminToken, input: () => ({ id: a.id, to: '+12' }) },
        'that is not locked': { key: adminToken, input: () => ({ id: a.id, to: freshNumber() }) },
      },
    },
    'AdminService/ListAccountKeys': {
      cases: {
        ...pages(world.keysToken, { id: a.id }, adminToken),
        'of an account nobody is': { key: adminToken, input: () => ({ id: nobody('acct') }) },
        'are there': { key: adminToken, input: () => ({ id: a.id }) },
      },
    },
    'AdminService/RevokeAccountKey': {
      cases: {
        'an id nobody has': { key: adminToken, input: id(nobody('key')) },
        'an id of another kind': { key: adminToken, input: id(a.id) },
        'the last that may manage': { key: adminToken, input: id(hasty.liveKeyId) },
      },
    },
    'AdminService/DecideAutofill': {
      cases: {
        'of an account nobody is': {
          key: adminToken,
          input: () => ({ id: nobody('acct'), value: 'https://shop.example', approved: true }),
        },
        'a site that is not registered': {
          key: adminToken,
          input: () => ({ id: a.id, value: 'https://other.example', approved: true }),
        },
      },
    },
    'AdminService/ListAdminAuditEvents': {
      cases: { ...pages(world.keysToken, {}, adminToken), 'are there': { key: adminToken, input: () => ({}) } },
    },
    'AuditService/ListAuditEvents': { cases: { ...pages(world.keysToken), 'are there': { input: () => ({}) } } },
    'OperatorService/ListOperators': { cases: { 'are there': { key: adminToken, input: () => ({}) } } },
    ...Object.fromEntries(
      ['PauseOperator', 'ResumeOperator', 'RebindOperator'].map((method) => [
        `OperatorService/${method}`,
        { cases: { 'an operator nobody is': { key: adminToken, input: () => ({ id: 'nobody' }) } } },
      ]),
    ),
    'OperatorService/ListParkedReceipts': {
      cases: {
        'the token of another list': { key: adminToken, input: () => ({ pageToken: world.keysToken }) },
        'are there': { key: adminToken, input: () => ({}) },
      },
    },
    'LimitListService/CreateListEntry': {
      // A deployment whose key ring lacks a key, and 1,000 entries: test/integration/api/lists.test.ts.
      notReached: ['too_many_resources', 'unimplemented'],
      cases: {
        'of no number': { input: () => ({ list: 'block', value: '+12' }) },
        'of no prefix': { input: () => ({ list: 'block', value: '213551*' }) },
        'is listed': { input: () => ({ list: 'allow', value: '+213551*' }) },
      },
    },
    'LimitListService/ListListEntries': { cases: { ...pages(world.keysToken), 'are there': { input: () => ({}) } } },
    'LimitListService/DeleteListEntry': { cases: unknown('lst', world.listEntryId) },
    'SenderIdService/CreateSenderId': {
      cases: {
        'a blank name': { input: () => ({ name: '   ' }) },
        'that is there': { input: () => ({ name: 'Alice' }) },
        'one too many': { key: full.testKey, input: () => ({ name: 'More' }) },
      },
    },
    'SenderIdService/GetSenderId': {
      cases: { ...unknown('snd', world.senderId), 'is there': { input: id(world.senderId) } },
    },
    'SenderIdService/ListSenderIds': { cases: { ...pages(world.keysToken), 'are there': { input: () => ({}) } } },
    'SenderIdService/DecideSenderId': {
      cases: {
        'an id nobody has': {
          key: adminToken,
          input: () => ({ id: nobody('snd'), operator: 'atlas', status: 'approved' }),
        },
        'an operator nobody is': {
          key: adminToken,
          input: () => ({ id: world.senderId, operator: 'nobody', status: 'approved' }),
        },
        'revoked, what never was approved': {
          key: adminToken,
          input: () => ({ id: world.senderId, operator: 'sahara', status: 'revoked' }),
        },
      },
    },

    'WabaService/GetWaba': {
      cases: {
        'that is not linked': { input: () => ({}) },
        'of test mode': { key: other.testKey, input: () => ({}) },
        'is there': { key: other.liveKey, input: () => ({}) },
      },
    },
    'WabaService/CreateWabaSignup': {
      cases: {
        'with a test key': { key: test, input: () => ({}) },
        'once it is linked': { key: other.liveKey, input: () => ({}) },
        'without a messaging app': { at: 'strict', input: () => ({}) },
      },
    },
    'WabaService/ConnectWaba': {
      cases: {
        'with a test key': { key: test, input: () => ({ ...link, access_token: 'a-token' }) },
        'a code without a state': { input: () => ({ ...link, code: 'a-code' }) },
        'a state nobody has': { input: () => ({ ...link, code: 'a-code', state: 'x'.repeat(43) }) },
        'a number of another account': {
          input: () => ({ ...link, phone_number_id: world.phoneNumberId, access_token: 'a-token' }),
        },
        'once it is linked': { key: other.liveKey, input: () => ({ ...link, access_token: 'a-token' }) },
        'without a messaging app': { at: 'strict', input: () => ({ ...link, access_token: 'a-token' }) },
      },
    },
    'WabaService/DisconnectWaba': {
      cases: { 'that is not linked': { input: () => ({}) }, 'with a test key': { key: test, input: () => ({}) } },
    },

    'WebhookEndpointService/GetWebhookEndpoint': {
      cases: { ...unknown('whe', world.endpointId), 'is there': { input: id(world.endpointId) } },
    },
    'WebhookEndpointService/ListWebhookEndpoints': {
      cases: { ...pages(world.keysToken), 'are there': { input: () => ({}) } },
    },
    'WebhookEndpointService/CreateWebhookEndpoint': {
      cases: { ...urls({}), 'one too many': { key: full.testKey, input: () => ({ url: 'https://more.example/' }) } },
    },
    'WebhookEndpointService/UpdateWebhookEndpoint': {
      cases: { ...unknown('whe', world.endpointId, { enabled: true }), ...urls({ id: world.endpointId }) },
    },
    'WebhookEndpointService/RotateWebhookSecret': { cases: unknown('whe', world.endpointId) },
    'WebhookEndpointService/ListWebhookDeliveries': {
      cases: {
        ...unknown('whe', world.endpointId),
        ...pages(world.keysToken, { id: world.endpointId }),
        'are there': { input: id(world.endpointId) },
      },
    },
    'WebhookEndpointService/RedeliverWebhook': {
      cases: {
        ...unknown('whe', world.endpointId, { event_id: world.eventId }),
        'an event nobody has': { input: () => ({ id: world.endpointId, event_id: nobody('evt') }) },
        'to an endpoint that is switched off': { input: () => ({ id: world.disabledId, event_id: world.eventId }) },
      },
    },
    'WebhookEndpointService/ReplayWebhooks': {
      cases: {
        ...unknown('whe', world.endpointId),
        'of no time': {
          input: () => ({ id: world.endpointId, since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' }),
        },
        'with a token of something else': { input: () => ({ id: world.endpointId, replay_token: world.keysToken }) },
        'to an endpoint that is switched off': { input: () => ({ id: world.disabledId }) },
        'of a time without any': {
          input: () => ({ id: world.endpointId, since: '2026-03-01T00:00:00Z', until: '2026-03-02T00:00:00Z' }),
        },
      },
    },
    'WebhookEndpointService/TestWebhookEndpoint': {
      cases: {
        ...unknown('whe', world.endpointId),
        'at a private address': { at: 'strict', input: id(world.endpointId) },
      },
    },
    'WebhookEndpointService/DeleteWebhookEndpoint': { cases: unknown('whe', world.endpointId) },
  };
}

const app = (package_name: string): JsonObject => ({ package_name, app_hash: 'FA+9qCX9VSu' });
