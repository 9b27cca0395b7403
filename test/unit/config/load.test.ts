import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig, loadDatabases } from '../../../src/config.ts';
import { tokenHash } from '../../../src/core/accounts/api-key.ts';
import { selfSigned } from '../../support/certificate.ts';
import { bind, config, errors, keyRing, load, messaging, operator, sources } from './sources.ts';

describe('the file', () => {
  it('fills in every default', () => {
    const loaded = config({});
    expect(loaded).toMatchObject({ sandbox: false, scenarioPrefix: null, operators: [] });
    expect(loaded.verify.codeLength).toEqual({ min: 6, max: 10, default: 6 });
    expect(loaded.verify.ttlSeconds).toEqual({ min: 60, max: 600, default: 600 });
    expect(loaded.verify.cascade).toEqual([
      { channel: 'sms', timeoutSeconds: 15 },
      { channel: 'whatsapp', timeoutSeconds: 15 },
      { channel: 'voice', timeoutSeconds: 45 },
    ]);
    expect(loaded.webhooks).toMatchObject({ timeoutSeconds: 15, allowPrivateTargets: false, disableAfterDays: 5 });
  });

  it('is not needed', () => {
    expect(load({}, { RAMZ_CONFIG: '' })).toMatchObject({ kind: 'ok', config: { operators: [] } });
  });

  it('fills in what an operator leaves out', () => {
    const loaded = config({ operators: [operator()] });
    expect(loaded.scenarioPrefix).toBe('+21355');
    expect(loaded.operators[0]).toMatchObject({
      ratePerSecond: 50,
      window: 10,
      enquireLinkIdleSeconds: 25,
      enquireLinkMisses: 2,
      enabled: true,
      maintenance: [],
      downAfterSeconds: 5,
      submitMisses: 3,
      reconnect: {
        minSeconds: 1,
        maxSeconds: 60,
        alreadyBoundSeconds: 2,
        bindFailedSeconds: 5,
        credentialsSeconds: 300,
      },
      registeredDelivery: 1,
      address: { sourceTon: 5, sourceNpi: 0, destTon: 1, destNpi: 1 },
      dataCoding: { gsm: 0, ucs2: 8 },
      messageId: { rule: 'same', stripLeadingZeros: false, caseInsensitive: false },
      validity: { format: 'relative', granularitySeconds: 60, fallback: 'none' },
      costTlv: null,
    });
    expect(loaded.operators[0]?.binds[0]).toEqual({
      host: 'smsc.alpha.example',
      port: 2775,
      systemId: 'example',
      password: 'hunter2',
      systemType: '',
      type: 'transceiver',
      count: 1,
      tls: null,
    });
  });

  it('keeps the key of the pages in a sandbox alone', () => {
    const env = { RAMZ_SANDBOX_KEY: 'ramz_live_example' };
    expect(load({ sandbox: true }, env)).toMatchObject({
      config: { server: { sandboxKey: 'ramz_live_example' } },
      warnings: [],
    });
    expect(load({}, env)).toMatchObject({
      config: { server: { sandboxKey: null } },
      warnings: [{ path: 'RAMZ_SANDBOX_KEY', message: expect.stringContaining('is ignored') }],
    });
  });

  it('keeps the keys of maps as they are written', () => {
    const meanings = { FAILED: 'UNDELIV', 'UNDELIV/027': 'ENROUTE' };
    const loaded = config({ operators: [operator({ receipt: { meanings }, error_codes: { '001': 'unknown' } })] });
    expect(loaded.operators[0]?.receipt.meanings).toEqual(meanings);
    expect(loaded.operators[0]?.errorCodes).toEqual({ '001': 'unknown' });
  });

  it('verifies certificates unless told otherwise', () => {
    const loaded = config({ operators: [operator({ binds: [bind({ tls: {} })] })] });
    expect(loaded.operators[0]?.binds[0]?.tls).toEqual({ ca: null, servername: null, rejectUnauthorized: true });
  });

  it('tells every error at once, each with its path', () => {
    const second = bind({ port: 70_000, password: undefined, sytem_id: 'x' });
    const file = { operators: [operator({ binds: [bind(), second], rate_per_second: undefined })], verfy: {} };
    expect(errors(file, { PORT: 'http' })).toEqual([
      'PORT: must be a port number',
      'operators[0].binds[1].port: must be at most 65535',
      'operators[0].binds[1].password: is missing: give {"env": "NAME"} or {"file": "/path"}',
      'operators[0].binds[1].sytem_id: is not a setting',
      'operators[0].rate_per_second: is missing',
      'verfy: is not a setting',
    ]);
  });

  it.each([
    [{ window: 1.5 }, 'window: must be a whole number'],
    [{ window: '10' }, 'window: must be of type number'],
    [{ rate_per_second: 0 }, 'rate_per_second: must be more than 0'],
    [{ registered_delivery: 0 }, 'registered_delivery: must be one of 1, 17'],
    [{ time_zone: 'Africa/Atlantis' }, 'time_zone: is not an IANA time zone, e.g. "Africa/Algiers"'],
    [{ time_zone: '+01:00' }, 'time_zone: is not an IANA time zone, e.g. "Africa/Algiers"'],
    [{ prefixes: ['0555'] }, 'prefixes[0]: must be + and the first digits of the number, e.g. "+21355"'],
    [{ default_sender_id: 'TwelveLetter' }, 'default_sender_id: is too long: a sender name has at most 11 characters'],
    [{ default_sender_id: 'My_Shop' }, 'default_sender_id: must be letters and digits with single space - . & between'],
    [{ tariff: [] }, 'tariff: must have at least one tariff, or no cost is known'],
    [{ tariff: undefined }, 'tariff: is missing'],
    [{ receipt: { pattern: '(?<id>a)(?=b)' } }, 'receipt.pattern: looks ahead or behind'],
    [
      { receipt: { pattern: '(?<id>(a{99}){99})(?<stat>b)' } },
      'receipt.pattern: repeats too much: more than 500 steps',
    ],
    [{ receipt: { pattern: 'id=(?<id>a)' } }, 'receipt.pattern: must have the groups (?<id>…) and (?<stat>…)'],
    [{ receipt: { pattern: '(?<id>a)(?<stat>b)(?<phone>c)' } }, 'receipt.pattern: has a group phone'],
    [
      { receipt: { meanings: { failed: 'UNDELIV' } } },
      'receipt.meanings.failed: must be STAT or STAT/err, with STAT in capitals',
    ],
    [{ receipt: { meanings: { 'NOT OK': 'UNDELIV' } } }, 'receipt.meanings["NOT OK"]: must be STAT or STAT/err'],
    [{ receipt: { meanings: { FAILED: 'BROKEN' } } }, 'receipt.meanings.FAILED: must be one of "ENROUTE"'],
  ])('refuses %j', (change, message) => {
    const found = errors({ operators: [operator(change)] });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`operators[0].${message}`);
  });

  it('says where it is no JSON, and never quotes it', () => {
    const found = errors({}, {}, { '/etc/ramz.json': '{\n "password": "hunter2" oops\n}' });
    expect(found).toEqual(['RAMZ_CONFIG: /etc/ramz.json is not valid JSON (line 2 column 24)']);
    expect(errors({}, { RAMZ_CONFIG: '/nowhere' })).toEqual(['RAMZ_CONFIG: /nowhere cannot be read: ENOENT']);
    expect(errors([])).toEqual(['RAMZ_CONFIG: must be of type object']);
  });

  it('reads files that an editor began with a byte order mark: of such a secret no octet more', () => {
    const marked = {
      '/etc/ramz.json': '\uFEFF{}',
      '/etc/ring.json': `\uFEFF${keyRing}`,
      '/token': '\uFEFFsixteen-letters-1\n',
    };
    expect(errors({}, { RAMZ_ADMIN_TOKEN_FILE: '/token' }, marked)).toEqual([]);
    const file = { operators: [operator({ binds: [bind({ password: { file: '/password' } })] })] };
    const loaded = load(file, {}, { '/password': '\uFEFFhunter2\n' });
    expect(loaded.kind === 'ok' && loaded.config.operators[0]?.binds[0]?.password).toBe('hunter2');
  });

  it('warns of a setting whose key the ring lacks, also where a reload has brought the setting', () => {
    const { custom_code: _, waba_secret: __, ...older } = JSON.parse(keyRing) as Record<string, object>;
    const file = { verify: { allow_custom_code: true }, ...messaging({ access_token: 'EAAB-token' }) };
    const said = (ring: string) => {
      const loaded = load(file, {}, { '/etc/ring.json': ring });
      return loaded.kind === 'ok' ? loaded.warnings : loaded.errors;
    };
    expect(said(keyRing)).toEqual([]);
    expect(said(JSON.stringify(older))).toEqual([
      { path: 'RAMZ_KEY_RING', message: 'has no custom_code key: verify.allow_custom_code has no effect' },
      { path: 'RAMZ_KEY_RING', message: 'has no waba_secret key: no WhatsApp account can be linked' },
    ]);
  });

  it('refuses a setting that is given twice: the first one would not hold', () => {
    const file = '{ "limits": { "sends_per_number_per_day": 30 }, "verify": {}, "limits": {} }';
    expect(errors({}, {}, { '/etc/ramz.json': file })).toEqual(['limits: is given twice']);
    const text = JSON.stringify({ operators: [operator()] }).replace('"window"', '"w"');
    const twice = text.replace('"rate_per_second":50', '"rate_per_second":50,"rate_per_second":500');
    expect(errors({}, {}, { '/etc/ramz.json': twice })).toEqual(['operators[0].rate_per_second: is given twice']);
  });

  it('never throws and never repeats what was written, whatever that is', () => {
    const mark = (_: string, value: unknown) => (typeof value === 'string' ? 's3cr3t' : value);
    const marked = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value), mark));
    fc.assert(
      fc.property(marked, marked, (whole, password) => {
        for (const file of [whole, { operators: whole }, { operators: [operator({ binds: [bind({ password })] })] }]) {
          const loaded = load(file);
          if (loaded.kind === 'invalid')
            expect(loaded.errors.map((error) => error.message).join()).not.toContain('s3cr3t');
        }
      }),
    );
  });
});

describe('secrets', () => {
  const withPassword = (password: unknown) => ({ operators: [operator({ binds: [bind({ password })] })] });

  it('come from a variable, a file without the newline at its end, or the text itself', () => {
    const password = (given: unknown) => {
      const loaded = load(withPassword(given), { OTHER: 'from-env' }, { '/run/secret': 'from-file\n' });
      return loaded.kind === 'ok' ? loaded.config.operators[0]?.binds[0]?.password : loaded.errors;
    };
    expect(password({ env: 'OTHER' })).toBe('from-env');
    expect(password({ file: '/run/secret' })).toBe('from-file');
    expect(password('in clear')).toBe('in clear');
  });

  it.each([
    [{ env: 'NO_BODY' }, 'the secret is missing: the environment variable NO_BODY is not set'],
    [{ env: 'hunter2' }, 'the secret is missing: the environment variable it names is not set'],
    [{ env: 'HUNTER2' }, 'the secret is missing: the environment variable it names is not set'],
    [{ env: 'EMPTY' }, 'the secret is missing: the environment variable it names is not set'],
    [{ file: 'hunter2' }, 'the secret is missing: the file it names cannot be read or is empty'],
    [{ file: '/nowhere' }, 'the secret is missing: the file /nowhere cannot be read or is empty'],
    [{ file: '/empty' }, 'the secret is missing: the file /empty cannot be read or is empty'],
    ['', 'must not be empty'],
    [{ env: 'A', file: 'B' }, 'must be {"env": "NAME"}, {"file": "/path"} or the text itself, not empty'],
    [null, 'must be {"env": "NAME"}, {"file": "/path"} or the text itself, not empty'],
  ])('stop the start when they are missing: %j', (password, message) => {
    const found = errors(withPassword(password), { EMPTY: '' }, { '/empty': '\n' });
    expect(found).toEqual([`operators[0].binds[0].password: ${message}`]);
  });
});

describe('the environment', () => {
  it('has a default for everything but the key ring', () => {
    expect(config({}).server).toEqual({
      host: '0.0.0.0',
      port: 8080,
      grpcPort: 50051,
      allowPlaintext: false,
      reflection: true,
      metrics: { host: '127.0.0.1', port: 9464, token: null },
      peerHost: '127.0.0.1',
      peerPort: null,
      dataDirectory: '.data',
      databaseUrl: null,
      cells: null,
      pools: { lanes: 6, calls: 7, lists: 3 },
      migrate: true,
      drainSeconds: 5,
      logLevel: 'info',
      openRegistration: false,
      adminTokenHash: null,
      sandboxKey: null,
      liveKeyPrefix: 'ramz_live_',
      testKeyPrefix: 'ramz_test_',
      keyRing: expect.anything(),
      httpTls: null,
      grpcTls: null,
    });
  });

  it('is read', () => {
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      GRPC_PORT: '1234',
      PEER_HOST: '10.0.0.5',
      PEER_PORT: '7000',
      RAMZ_DATA: '/var/lib/ramz',
      DATABASE_URL: 'postgres://localhost/ramz',
      RAMZ_KEY_RING: '',
      RAMZ_KEYS: keyRing,
      RAMZ_OPEN_REGISTRATION: 'true',
      LOG_LEVEL: 'debug',
      GRPC_TLS_CERT: '/cert.pem',
      GRPC_TLS_KEY: '/key.pem',
    };
    const { cert, key } = selfSigned();
    const loaded = load({}, env, { '/cert.pem': cert, '/key.pem': key });
    expect(loaded).toMatchObject({
      kind: 'ok',
      config: {
        server: {
          host: '127.0.0.1',
          port: 0,
          grpcPort: 1234,
          peerHost: '10.0.0.5',
          peerPort: 7000,
          dataDirectory: '/var/lib/ramz',
          databaseUrl: 'postgres://localhost/ramz',
          openRegistration: true,
          logLevel: 'debug',
          httpTls: null,
          grpcTls: { cert, key },
        },
      },
    });
  });

  it('takes secrets from files, without the line end of an editor', () => {
    const env = { DATABASE_URL_FILE: '/run/url', RAMZ_ADMIN_TOKEN_FILE: '/run/token', DATABASE_POOL_CALLS: '20' };
    const files = { '/run/url': 'postgres://u:p@db/ramz\n', '/run/token': 'a-token-of-twenty-five\r\n' };
    expect(load({}, env, files)).toMatchObject({
      config: {
        server: {
          databaseUrl: 'postgres://u:p@db/ramz',
          adminTokenHash: tokenHash('a-token-of-twenty-five'),
          pools: { lanes: 6, calls: 20, lists: 3 },
        },
      },
    });
    expect(loadDatabases(sources({}, env, files))).toEqual({
      value: { home: 'postgres://u:p@db/ramz', cells: null },
      errors: [],
    });
    expect(loadDatabases(sources({}, { DATABASE_URL_FILE: '/nowhere' })).errors).toHaveLength(1);
    expect(loadDatabases(sources({}))).toEqual({ value: { home: null, cells: null }, errors: [] });
  });

  it.each([
    [{ PORT: '65536' }, 'PORT: must be at most 65535'],
    [{ PORT: '-1' }, 'PORT: must be a port number'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: must be postgres://user:password@host:port/database'],
    [{ DATABASE_URL: 'postgres://a,b/x?target_session_attrs=standby' }, 'DATABASE_URL: has a target_session_attrs'],
    [{ DATABASE_URL_FILE: '/nowhere' }, 'DATABASE_URL_FILE: /nowhere cannot be read or is empty'],
    [{ DATABASE_URL_FILE: '/etc/ring.json' }, 'DATABASE_URL: must be postgres://'],
    [{ DATABASE_URL: 'postgres://a/x', DATABASE_URL_FILE: '/f' }, 'DATABASE_URL_FILE: is set beside DATABASE_URL'],
    [{ RAMZ_ADMIN_TOKEN_FILE: '/nowhere' }, 'RAMZ_ADMIN_TOKEN_FILE: /nowhere cannot be read or is empty'],
    [{ DATABASE_POOL_LANES: '1' }, 'DATABASE_POOL_LANES: must be 2 to 64'],
    [{ DATABASE_POOL_LISTS: 'many' }, 'DATABASE_POOL_LISTS: must be a whole number of connections'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of "trace"'],
    [{ RAMZ_OPEN_REGISTRATION: 'yes' }, 'RAMZ_OPEN_REGISTRATION: must be true or false'],
    [{ RAMZ_ADMIN_TOKEN: 'short' }, 'RAMZ_ADMIN_TOKEN: must have at least 16 characters'],
    [
      { API_KEY_LIVE_PREFIX: 'ramz_', API_KEY_TEST_PREFIX: 'ramz_test_' },
      'API_KEY_TEST_PREFIX: one of the two key prefixes',
    ],
    [{ RAMZ_KEY_RING: '' }, 'RAMZ_KEY_RING: is missing'],
    [{ RAMZ_KEY_RING: '/nowhere' }, 'RAMZ_KEY_RING: /nowhere cannot be read or is empty'],
    [{ RAMZ_KEYS: '{}' }, 'RAMZ_KEYS: is set beside RAMZ_KEY_RING'],
    [{ RAMZ_KEY_RING: '', RAMZ_KEYS: 'no' }, 'RAMZ_KEYS: key ring: not JSON'],
    [{ METRICS_PORT: 'on' }, 'METRICS_PORT: must be a port number or off'],
    [{ METRICS_PORT: '70000' }, 'METRICS_PORT: must be at most 65535'],
    [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: must have at least 16 characters'],
    [{ METRICS_TOKEN_FILE: '/nowhere' }, 'METRICS_TOKEN_FILE: /nowhere cannot be read or is empty'],
    [{ RAMZ_REFLECTION: 'false' }, 'RAMZ_REFLECTION: must be one of "on", "off"'],
    [{ RAMZ_ALLOW_PLAINTEXT: 'yes' }, 'RAMZ_ALLOW_PLAINTEXT: must be true or false'],
    [{ HTTP_TLS_CERT: '/etc/ring.json' }, 'HTTP_TLS_KEY: is missing beside HTTP_TLS_CERT'],
    [{ GRPC_TLS_KEY: '/etc/ring.json' }, 'GRPC_TLS_CERT: is missing beside GRPC_TLS_KEY'],
    [{ HTTP_TLS_CERT: '/a', HTTP_TLS_KEY: '/etc/ring.json' }, 'HTTP_TLS_CERT: /a cannot be read or is empty'],
  ])('refuses %j', (env, message) => {
    const found = errors({}, env);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it('is read only through the arguments', () => {
    const { readFile } = sources({});
    expect(loadConfig({ env: {}, readFile })).toMatchObject({ kind: 'invalid', errors: [{ path: 'RAMZ_KEY_RING' }] });
  });
});
