// Kannel as client of the sandbox's three SMSCs: what we claim to be an SMSC must be one for a stranger too.
import { afterAll, expect } from 'vitest';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { type SandboxOperatorId, sandboxOperatorIds, sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { type Smsc, startSmsc } from '../../../src/sandbox/smsc/smsc.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';
import { startKannel } from '../support/kannel.ts';

const tools = ['bearerbox', 'smsbox'];
const test = requireTool(...tools);
const world = tools.every((tool) => toolPath(tool) !== undefined) ? await start() : null;

async function start() {
  const inbox = new Inbox();
  const options = { inbox, deliverDelayMs: 50, scenarioPrefix: '+21355' };
  const smscs = Object.fromEntries(
    await Promise.all(
      sandboxOperatorIds.map(
        async (id) => [id, await startSmsc({ ...options, profile: sandboxProfiles[id] })] as const,
      ),
    ),
  ) as Record<SandboxOperatorId, Smsc>;
  afterAll(() => Promise.all(Object.values(smscs).map((smsc) => smsc.stop())));
  return { inbox, smscs, kannel: await startKannel(Object.values(smscs)) };
}

const numbers = { atlas: '+213551234567', sahara: '+213661234567', djurdjura: '+213771234567' };

for (const id of sandboxOperatorIds) {
  test(`${id}: its texts arrive letter by letter, and every receipt is taken`, async () => {
    const { inbox, smscs, kannel } = world!;
    const to = numbers[id];
    const texts = ['Votre code : 482913, à garder pour vous', 'رمز التحقق: 482913'];
    await kannel.send(to, texts[0]!, 0);
    await kannel.send(to, texts[1]!, 2);
    await until(() => inbox.list({ to, channel: 'sms' }).length === 2, { what: 'both texts' });
    expect(
      inbox
        .list({ to, channel: 'sms' })
        .map(({ text, from }) => [from, text])
        .toSorted(),
    ).toEqual(texts.map((text) => ['Ramz', text]).toSorted());
    const smsc = smscs[id];
    // Kannel asks for intermediate notifications too: two receipts each.
    await until(() => smsc.counts.receipts === 4 && smsc.counts.receipts_pending === 0, {
      what: 'the receipts answered',
    });
    expect(smsc.counts).toMatchObject({ submits: 2, accepted: 2, receipts_answered: 4, receipts_resent: 0 });
  });
}

for (const id of ['atlas', 'djurdjura'] as const) {
  // Not Sahara: its ids differ in case between answer and receipt, which Kannel has no setting for.
  test(`${id}: it finds each message again by the id of its receipts`, async () => {
    const { kannel } = world!;
    const mine = () => kannel.reports.filter(({ to }) => to === numbers[id]);
    const kinds = (wanted: number) => mine().filter(({ kind }) => kind === wanted);
    const counted = () => [1, 8, 4].map((kind) => kinds(kind).length);
    await until(
      () => {
        expect(counted()).toEqual([2, 2, 2]);
        return true;
      },
      { what: 'both delivered, and every report of it' },
    );
    expect(new Set(kinds(1).map((report) => report.id))).toEqual(new Set(kinds(8).map((report) => report.id)));
  });
}

test('a refused message is reported as refused', async () => {
  const { kannel, smscs } = world!;
  const before = smscs.atlas.counts.submits;
  smscs.atlas.faults.refuseSubmits(1, 0x0b);
  await kannel.send('+213551234568', 'Code 1', 0);
  await until(() => kannel.reports.some(({ to, kind }) => to === '+213551234568' && kind === 16), {
    what: 'the refusal',
  });
  expect(smscs.atlas.counts.submits).toBe(before + 1);
});

test('none of its connections was lost on the way', () => {
  const { smscs } = world!;
  const { atlas, sahara, djurdjura } = smscs;
  expect([atlas, sahara, djurdjura].map(({ counts }) => [counts.binds, counts.peak_binds])).toEqual([
    [1, 1],
    [2, 2],
    [1, 1],
  ]);
});
