// What is read from the URL of the database: hosts, the wanted one, settings; and what is refused.
import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../../../src/core/database-url.ts';

const read = (url: string, options?: string) => {
  const parsed = parseDatabaseUrl(url, options);
  return parsed.kind === 'ok' ? parsed.address : parsed.message;
};

describe('hosts', () => {
  it('is one, and any kind of server, as a rule', () => {
    expect(read('postgres://u:p@db:5432/ramz')).toEqual({
      hosts: ['postgres://u:p@db:5432/ramz'],
      wants: 'any',
      settings: [],
    });
  });

  it('are several, of which the one that takes changes is wanted', () => {
    expect(read('postgresql://u:p%40ss@a:5432,b,[2001:db8::1]:6432/ramz?sslmode=verify-full')).toEqual({
      hosts: ['a:5432', 'b', '[2001:db8::1]:6432'].map(
        (host) => `postgresql://u:p%40ss@${host}/ramz?sslmode=verify-full`,
      ),
      wants: 'read-write',
      settings: [],
    });
  });

  it.each(['read-write', 'primary'])('%s is wanted of one host, too, where the URL says so', (word) => {
    expect(read(`postgres://db/ramz?target_session_attrs=${word}`)).toEqual({
      hosts: ['postgres://db/ramz'],
      wants: 'read-write',
      settings: [],
    });
  });

  it('any of them does where the URL says so', () => {
    expect(read('postgres://a,b/ramz?target_session_attrs=any')).toMatchObject({ wants: 'any' });
  });

  it('a socket is named in the query', () => {
    expect(read('postgres:///ramz?host=/run/postgresql')).toMatchObject({
      hosts: ['postgres:///ramz?host=%2Frun%2Fpostgresql'],
    });
  });
});

describe('settings', () => {
  it('are taken out of the URL, in the order in which the later one wins', () => {
    const options = encodeURIComponent('-c work_mem=5MB --enable-sort=off -cstatement_timeout=1s');
    expect(read(`postgres://db/ramz?statement_timeout=2000&options=${options}`)).toEqual({
      hosts: ['postgres://db/ramz'],
      wants: 'any',
      settings: [
        ['statement_timeout', '2000'],
        ['work_mem', '5MB'],
        ['enable_sort', 'off'],
        ['statement_timeout', '1s'],
      ],
    });
  });

  it('come from the environment where the URL has none', () => {
    expect(read('postgres://db/ramz', '-c search_path=a,\\ b')).toMatchObject({ settings: [['search_path', 'a, b']] });
    expect(read('postgres://db/ramz?options=-cjit%3Don', '-c jit=off')).toMatchObject({ settings: [['jit', 'on']] });
  });
});

it.each([
  ['mysql://db/ramz', /^must be postgres:/],
  ['postgres://a b/ramz', /^must be postgres:/],
  ['postgres://u:secret@a:port/ramz', /^must be postgres:/],
  ['postgres://u:secret@a,,b/ramz', /empty name/],
  ['postgres:///ramz?host=a,b', /before the path/],
  ['postgres://a,b/ramz?target_session_attrs=standby', /target_session_attrs/],
  ['postgres://u:secret@a/ramz?options=-e', /options other than/],
  ['postgres://a/ramz?options=-c%20jit', /options other than/],
])('%s is refused, and never repeated', (url, message) => {
  expect(read(url)).toMatch(message);
  expect(read(url)).not.toContain('secret');
});
