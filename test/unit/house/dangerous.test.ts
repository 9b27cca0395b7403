// What an auditor would look for in the source is where docs/security/inventory.md says, each with its reason: cryptography, functions that
// turn input into something else, and what pages store in a browser.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SRC, sourceFiles } from './imports.ts';

const root = join(SRC, '..');
const page = readFileSync(join(root, 'docs/security/inventory.md'), 'utf8');
const section = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

/** A table's first column names a pattern by its first word in backticks; the second has the files. */
const listed = (heading: string): Map<string, string[]> =>
  new Map(
    [...section(heading).matchAll(/^\| ([^|]*`[^|]+) \| ([^|]+) \| [^|]{10,} \|$/gm)].map(
      ([, what = '', files = '']) => [quoted(what)[0] ?? '', quoted(files).sort()],
    ),
  );

/** Without generated code, and without the sandbox, which a deployment does not run. */
const sources = sourceFiles()
  .filter((path) => !/^(gen|sandbox)\//.test(path))
  .map((path) => ({ path: `src/${path}`, code: withoutComments(readFileSync(join(SRC, path), 'utf8')) }));

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

const found = (patterns: Readonly<Record<string, RegExp>>, files = sources): Map<string, string[]> =>
  new Map(
    Object.entries(patterns).map(([name, pattern]) => [
      name,
      files
        .filter(({ code }) => pattern.test(code))
        .map(({ path }) => path)
        .sort(),
    ]),
  );

const cryptography = {
  createHash: /\bcreateHash\(|\bhash\('/,
  createHmac: /\bcreateHmac\(/,
  createCipheriv: /\bcreate(?:Cipher|Decipher)iv\(/,
  hkdfSync: /\b(?:hkdf|scrypt|pbkdf2)\w*\(/,
  timingSafeEqual: /\btimingSafeEqual\(/,
  randomBytes: /\brandom(?:Bytes|Int|UUID)\b[^;]* from 'node:crypto'/,
  tls: /from 'node:(?:tls|https)'/,
  X509Certificate: /\bX509Certificate\(/,
};
/** Further functions of node:crypto, which nothing here needs: signatures, key pairs, the browsers' API. */
const unused =
  /\b(?:createSign|createVerify|generateKey\w*|createPrivateKey|createPublicKey|createDiffieHellman|createECDH|webcrypto|subtle)\b/;

const functions = {
  child_process: /from 'node:child_process'/,
  worker_threads: /from 'node:worker_threads'/,
  SharedArrayBuffer: /\bSharedArrayBuffer\b/,
  eval: /\beval\(|\bnew Function\(|from 'node:vm'/,
  'new RegExp': /\bnew RegExp\(/,
  'sql.raw': /\bsql\.raw\(/,
  'Math.random': /\bMath\.random\b/,
  rejectUnauthorized: /\brejectUnauthorized\b/,
  checkServerIdentity: /\bcheckServerIdentity\b/,
  inflateRawSync: /\b(?:inflate|gunzip|unzip|brotliDecompress|zstdDecompress)\w*\(/,
  writeFileSync:
    /\b(?:writeFile|appendFile|createWriteStream|rename|rm|unlink|mkdir|mkdtemp|symlink|chmod|chown)(?:Sync)?\(/,
};

test('cryptography stands where the page says, and nowhere else', () => {
  expect(listed('Cryptography')).toEqual(found(cryptography));
  expect(sources.filter(({ code }) => unused.test(code)).map(({ path }) => path)).toEqual([]);
});

test('the functions stand where the page says, and nowhere else', () => {
  expect(listed('Dangerous functions')).toEqual(found(functions));
});

test('no process is started by a shell', () => {
  const starting = sources.filter(({ code }) => functions.child_process.test(code));
  expect(starting.length).toBeGreaterThan(0);
  for (const { path, code } of starting) expect(code, path).not.toMatch(/\bshell: true|[^.]\bexec(?:Sync)?\(/);
});

test('the service itself starts the programs that the page names, and no others', () => {
  const started = sources
    .filter(({ path }) => !path.startsWith('src/launch/'))
    .flatMap(({ code }) => [...code.matchAll(/\b(?:execFile|spawn)(?:Sync)?\((?:'(\w+)'|(?:\w+\.)?(\w+)),/g)])
    .map(([, name, ours = '']) => name ?? ours);
  const named = section('Dangerous functions').split('The service itself starts programs')[1] ?? '';
  const programs = quoted(named).filter((name) => !['DATABASE_URL', '/proc'].includes(name));
  expect(new Set(started)).toEqual(new Set(programs));
});

test('what is sealed is sealed by AES-256-GCM', () => {
  const [sealing, ...others] = sources.filter(({ code }) => cryptography.createCipheriv.test(code));
  expect(others).toEqual([]);
  expect(sealing?.code).toContain("const algorithm = 'aes-256-gcm'");
  expect([...(sealing?.code ?? '').matchAll(/create(?:Cipher|Decipher)iv\((\w+)/g)].map(([, name]) => name)).toEqual([
    'algorithm',
    'algorithm',
  ]);
});

test('each sealing draws a nonce of its own', () => {
  const calls = sources.flatMap(({ path, code }) =>
    [...code.matchAll(/(?<!function )\b(?:seal|sealedCode|resealedText)\([^;]*/g)].map(([call]) => ({ path, call })),
  );
  expect(calls.length).toBeGreaterThan(4);
  // These two hand on what their callers draw.
  const others = calls.filter(({ call }) => !/\brandomBytes\((?:12|sealBytes)\)/.test(call));
  expect(others.map(({ path }) => path)).toEqual(['src/core/verify/code.ts', 'src/engine/secrets/resealing.ts']);
});

test('hashes are SHA-256, but for what SIP prescribes', () => {
  const named = sources.flatMap(({ path, code }) =>
    [...code.matchAll(/\b(?:createHash|createHmac|hkdfSync)\(\s*('[^']*'|\w+)|\bhash\(('[^']*')/g)].map(
      ([, name, other]) => `${path}: ${name ?? other}`,
    ),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((each) => !each.endsWith(": 'sha256'"))).toEqual(['src/sip/digest.ts: name']);
});

test('what pages store is listed on the page', () => {
  const scripts = globSync(['web/**/*.{ts,tsx,js}', 'src/api/signup/browser/*'], { cwd: root }).map((path) => ({
    path,
    code: withoutComments(readFileSync(join(root, path), 'utf8')),
  }));
  expect(scripts.length).toBeGreaterThan(20);
  const storage = {
    localStorage: /\blocalStorage\b/,
    sessionStorage: /\bsessionStorage\b|\bindexedDB\b|\bdocument\.cookie\b/,
  };
  expect(listed('What pages store')).toEqual(found(storage, scripts));
});
