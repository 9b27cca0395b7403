// How the names of receivers are resolved: by which name servers, and how long each of the two questions is waited for.
import { expect, onTestFinished, test, vi } from 'vitest';
import { defaultResolve, type NameServers } from '../../../../src/engine/webhooks/target.ts';

const guarded = { allowPrivate: false };
const nothing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));
const servers = (answers: Partial<NameServers>): NameServers => ({
  resolve4: nothing('ENODATA'),
  resolve6: nothing('ENODATA'),
  ...answers,
});
const never = () => new Promise<never>(() => {});
const four = async () => ['8.8.8.8'];
const six = async () => ['2606:4700::1111'];

test('has the addresses of both kinds', async () => {
  const resolve = defaultResolve(guarded, () => servers({ resolve4: four, resolve6: six }));
  expect(await resolve('shop.example')).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
});

test('a name server that leaves the question for IPv6 without an answer keeps no IPv4 address waiting', async () => {
  const resolve = defaultResolve(guarded, () => servers({ resolve4: four, resolve6: never }));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const resolved = resolve('shop.example');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await resolved).toEqual([{ address: '8.8.8.8', family: 4 }]);
});

test('a name without IPv4 waits for its IPv6 addresses, however long they take', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const late = Promise.withResolvers<string[]>();
  const resolved = defaultResolve(guarded, () => servers({ resolve6: () => late.promise }))('shop.example');
  await vi.advanceTimersByTimeAsync(60_000);
  late.resolve(['2606:4700::1111']);
  expect(await resolved).toEqual([{ address: '2606:4700::1111', family: 6 }]);
});

test('a name without any address is the error of its IPv4', async () => {
  const resolve = defaultResolve(guarded, () => servers({ resolve4: nothing('ENOTFOUND') }));
  await expect(resolve('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('the name servers of the machine are read again, as they may be others by now', async () => {
  let now = 0;
  let machine = four;
  const resolve = defaultResolve(
    guarded,
    () => servers({ resolve4: machine }),
    () => now,
  );
  await resolve('shop.example');
  machine = async () => ['1.1.1.1'];
  now = 29_999;
  expect(await resolve('shop.example')).toEqual([{ address: '8.8.8.8', family: 4 }]);
  now = 30_000;
  expect(await resolve('shop.example')).toEqual([{ address: '1.1.1.1', family: 4 }]);
});
