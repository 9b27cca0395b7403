// What deploy/alerts.yml and deploy/dashboard.json ask Prometheus for is what a running service shows at /metrics: every name, every label.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/gen/values.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { certificateFiles } from '../support/certificate.ts';
import { testFolder } from '../support/folder.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const alertsText = readFileSync(join(deploy, 'alerts.yml'), 'utf8');

interface Asked {
  expr: string;
  /** Labels that its title, its legend or its sentence shows. */
  shown: string[];
  where: string;
}

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '');

/** Each rule with its expression, on one line or in a block. */
const alerts: Asked[] = alertsText
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((rule) => {
    const expr = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(rule);
    return {
      where: rule.split('\n')[0] ?? '',
      expr: expr?.[1] ?? expr?.[2] ?? '',
      shown: namesIn(rule, /\$labels\.(\w+)/g),
    };
  });

interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
  templating: { list: { definition?: string }[] };
}
const dashboard = JSON.parse(readFileSync(join(deploy, 'dashboard.json'), 'utf8')) as Dashboard;
const panels: Asked[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({
    where: title,
    expr,
    shown: namesIn(legendFormat, /\{\{(\w+)\}\}/g),
  })),
);

const service = await testService({ errorsExpected: true });
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging, voice: sandbox.voice });
const { cert, key } = certificateFiles(testFolder('monitoring'));
const server = await service.startProcess({ GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key });

/** What shows only once something has gone wrong, or a business has linked a number; its labels are those that it is declared with. */
const accidents = new Set(['ramz_app_down', 'ramz_app_messaging_limit', 'ramz_loop_errors_total', 'ramz_waba_quality']);

/** By name of a metric, what is at /metrics: its labels. */
async function scrape(): Promise<Map<string, Set<string>>> {
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  const found = new Map<string, Set<string>>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const samples = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    for (const sample of samples) found.set(sample, new Set());
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const label of namesIn(labels, /(?:^|,)(\w+)="/g)) found.get(name)?.add(label);
  return found;
}

const declared = new Map(
  createMetrics()
    .register.getMetricsAsArray()
    .map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames]),
);

/** Prometheus' own. */
const always = ['instance', 'job'];
const selector = /\b(ramz_\w+)(?:\{([^}]*)\})?/g;
const labelsIn = (matchers: string) => namesIn(matchers, /(\w+)\s*(?:=~|!~|!=|=)\s*"/g);

async function traffic(): Promise<void> {
  const { live, http } = server;
  const callback = { action: 'messaging_callback', url: `${http}/v1/callbacks/messaging` };
  await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(callback) });
  for (const [to, channel] of [
    ['+213551110001', 'sms'],
    ['+213550000006', 'sms'], // throttled first
    ['+213551110002', 'whatsapp'],
    ['+213551110003', 'voice'],
  ] as const) {
    const { id } = await live.send(to, { cascade: [{ channel, timeout_seconds: 60 }], language: 'fr' });
    await live.sessionWhen(id, 'it delivered', ({ delivery }) => delivery === 'delivered', 60_000);
    await live.call('POST', `/v1/verify/sessions/${id}/cancel`);
    await sandbox.eventsOf(id, 2);
  }
  await fetch(`${http}/v1/account`, { headers: { authorization: 'Bearer ramz_live_nobody' } });
}

test('every name and label that alerts and dashboard ask for is at /metrics', async () => {
  expect([alerts.length > 25, panels.length > 30]).toEqual([true, true]);
  expect(alerts.filter(({ expr }) => expr === '')).toEqual([]);
  await traffic();
  const wrong = async () => {
    const found = await scrape();
    return [...alerts, ...panels].flatMap((asked) => complaints(asked, found));
  };
  await until(async () => (await wrong()).length === 0, { what: 'every series' }).catch(() => {});
  expect(await wrong()).toEqual([]);
  const [variable] = dashboard.templating.list.flatMap(({ definition }) => (definition ? [definition] : []));
  expect(variable).toBe('label_values(ramz_operator_down, operator)');
});

function complaints({ expr, shown, where }: Asked, found: ReadonlyMap<string, Set<string>>): string[] {
  const said: string[] = [];
  const labels = new Set(always);
  for (const [, name = '', matchers = ''] of expr.matchAll(selector)) {
    const known = found.get(name);
    if (!known) {
      said.push(`${where}: there is no ${name}`);
      continue;
    }
    const own = known.size === 0 && accidents.has(name) ? (declared.get(name) ?? []) : [...known];
    for (const label of own) labels.add(label);
    for (const label of labelsIn(matchers))
      if (!own.includes(label)) said.push(`${where}: ${name} has no label ${label}`);
  }
  const kept = namesIn(expr, /\bby \(([^)]*)\)/g).flatMap((list) => list.split(',').map((label) => label.trim()));
  for (const label of kept) if (!labels.has(label)) said.push(`${where}: nothing has the label ${label}`);
  const left = /\bby \(/.test(expr) ? kept : always;
  for (const label of shown) if (!left.includes(label)) said.push(`${where}: ${label} is not in the result`);
  return said;
}

test('metrics that a sentence of an alert names are there, too', async () => {
  const found = await scrape();
  const named = namesIn(alertsText, /\b(ramz_\w+)\b/g).filter((name) => name !== 'ramz_live_');
  expect(named.filter((name) => ![...found.keys()].some((each) => each === name || each === `${name}_sum`))).toEqual(
    [],
  );
});

test('codes of errors that an alert counts are codes of the contract', () => {
  const codes = /code=~"([\w|]+)"/.exec(alertsText)?.[1]?.split('|') ?? [];
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => !Object.hasOwn(errorCodes, code))).toEqual([]);
});
