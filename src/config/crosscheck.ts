// Rules between settings: bounds around defaults, routing, and the settings of operators against each other.
// Errors stop the start; warnings are for what works, but probably not as meant.

import { wordingLanguages } from '../core/accounts/wording.ts';
import { parseNetwork } from '../core/limits/addresses.ts';
import { isNameable, receiptKeyInText, smsText } from '../core/verify/text.ts';
import { checkMessaging, checkVoice } from './crosscheck-channels.ts';
import type { FileConfig, OperatorConfig } from './file.ts';
import type { Findings } from './problem.ts';
import { authorityProblems } from './tls-identity.ts';

/** @param now Unix ms. */
export function crosscheck(file: FileConfig, now: number): Findings {
  const findings: Findings = { errors: [], warnings: [] };
  checkVerify(file, findings);
  checkService(file, findings);
  checkBrand(file, findings);
  checkBudget(file, findings);
  checkOperators(file.operators, findings);
  checkMessaging(file, findings);
  if (file.messaging) checkTariffs(file.messaging, 'messaging', findings);
  checkVoice(file, findings);
  file.voice?.trunks.forEach((trunk, at) => {
    checkTariffs(trunk, `voice.trunks[${at}]`, findings);
  });
  for (const [path, card] of rateCards(file)) checkBegun(card, path, now, findings);
  return findings;
}

function checkVerify({ verify }: FileConfig, { errors }: Findings): void {
  const { codeLength, ttlSeconds, timeoutSeconds, cascade } = verify;
  const error = (path: string, message: string) => errors.push({ path: `verify.${path}`, message });

  if (codeLength.min < 6 && !verify.allowShortCodes) error('code_length.min', 'is under 6 without allow_short_codes');
  if (ttlSeconds.max > 600 && !verify.allowLongTtl) error('ttl_seconds.max', 'is over 600 without allow_long_ttl');
  for (const [name, range] of [
    ['code_length', codeLength],
    ['ttl_seconds', ttlSeconds],
  ] as const) {
    if (range.min > range.max) error(`${name}.min`, `is greater than ${name}.max`);
    else if (range.default < range.min || range.default > range.max) {
      error(`${name}.default`, `must be from ${range.min} to ${range.max}`);
    }
  }
  if (timeoutSeconds.min > timeoutSeconds.max) error('timeout_seconds.min', 'is greater than timeout_seconds.max');
  cascade.forEach((leg, at) => {
    if (cascade.findIndex((other) => other.channel === leg.channel) < at) {
      error(`cascade[${at}].channel`, `${leg.channel} is in the cascade twice`);
    }
    if (leg.timeoutSeconds < timeoutSeconds.min || leg.timeoutSeconds > timeoutSeconds.max) {
      error(`cascade[${at}].timeout_seconds`, `must be from ${timeoutSeconds.min} to ${timeoutSeconds.max}`);
    }
  });
}

/** A price in a currency without a budget is no mistake, but nobody would hear of what is spent in it. */
function checkBudget({ limits, operators, messaging, voice }: FileConfig, { warnings }: Findings): void {
  const { spendPerHour, spendPerDay } = limits.budget;
  const carriers = [...operators, ...(messaging ? [messaging] : []), ...(voice?.trunks ?? [])];
  const currencies = carriers.flatMap(({ tariff }: { tariff: readonly { currency: string }[] }) =>
    tariff.map((card) => card.currency),
  );
  for (const currency of new Set(currencies)) {
    if (spendPerHour[currency] !== undefined || spendPerDay[currency] !== undefined) continue;
    const path = `limits.budget.spend_per_day.${currency}`;
    warnings.push({ path, message: 'is missing: what messages cost in this currency has no budget' });
  }
}

function checkService(file: FileConfig, findings: Findings): void {
  const { service, limits, webhooks, operators, scenarioPrefix, sandbox, trustedProxies } = file;
  if (limits.sendsPerNumberPerDay < limits.sendsPerNumberPerHour) {
    const path = 'limits.sends_per_number_per_day';
    findings.errors.push({ path, message: 'is less than limits.sends_per_number_per_hour' });
  }
  const { sendsPerNumberPerHour, platformSendsPerNumberPerHour, platformSendsPerNumberPerDay } = limits;
  for (const [name, platform, least] of [
    ['hour', platformSendsPerNumberPerHour, sendsPerNumberPerHour],
    ['day', platformSendsPerNumberPerDay, limits.sendsPerNumberPerDay],
  ] as const) {
    if (platform === null || platform >= least) continue;
    const path = `limits.platform_sends_per_number_per_${name}`;
    findings.errors.push({ path, message: `is less than limits.sends_per_number_per_${name}` });
  }
  if (limits.failuresPerNumberInRow < limits.failuresPerNumberPerHour) {
    const path = 'limits.failures_per_number_in_row';
    findings.errors.push({ path, message: 'is less than limits.failures_per_number_per_hour' });
  }
  // A delivery is dropped with its partition, and its ten attempts (core/webhooks/retry.ts) take more than three days.
  if (service.retentionDays < 4) {
    const message = 'is under 4: webhooks are tried for 76 to 83 hours, and what still waits may be deleted before';
    findings.warnings.push({ path: 'service.retention_days', message });
  }
  if (webhooks.allowPrivateTargets && !sandbox) {
    const path = 'webhooks.allow_private_targets';
    findings.warnings.push({ path, message: 'lets every account reach addresses inside your own network' });
  }
  trustedProxies.forEach((network, at) => {
    if (parseNetwork(network)?.bits !== 0) return;
    const message = 'is every address: any caller may choose the address that is counted, limited and logged';
    findings.warnings.push({ path: `trusted_proxies[${at}]`, message });
  });
  const prefixes = operators.flatMap((operator) => operator.prefixes);
  if (scenarioPrefix && !prefixes.some((prefix) => scenarioPrefix.startsWith(prefix))) {
    findings.errors.push({ path: 'scenario_prefix', message: 'belongs to no operator' });
  }
}

/** The text of a language that can't name the brand does without it, at every send: an account's brand is refused for the same (core/accounts/wording.ts). */
function checkBrand({ service: { brand }, verify }: FileConfig, { errors }: Findings): void {
  const code = '0'.repeat(verify.codeLength.max);
  for (const language of wordingLanguages) {
    const request = { language, brand, code };
    const text = smsText(request);
    if (text.kind === 'refused' || text.says === 'brand') continue;
    const message = isNameable(brand)
      ? `has the text in ${language} say "${receiptKeyInText(request)}", which operators write in receipts, in front of the message's own words`
      : 'must be visible, without control characters or four digits in a row';
    errors.push({ path: 'service.brand', message });
    return;
  }
}

/** Rules between the settings of operators: ids, prefixes, tariffs, flow, and what an open door looks like. */
function checkOperators(operators: readonly OperatorConfig[], findings: Findings): void {
  checkIds(operators, findings);
  checkPrefixes(operators, findings);
  checkAccounts(operators, findings);
  operators.forEach((operator, at) => {
    const path = `operators[${at}]`;
    checkMaintenance(operator, path, findings);
    checkTariffs(operator, path, findings);
    checkFlow(operator, path, findings);
    checkBinds(operator, path, findings);
  });
}

function checkIds(operators: readonly OperatorConfig[], { errors }: Findings): void {
  operators.forEach(({ id }, at) => {
    const first = operators.findIndex((other) => other.id === id);
    if (first < at)
      errors.push({ path: `operators[${at}].id`, message: `"${id}" is the id of operators[${first}] too` });
  });
}

function checkMaintenance({ maintenance }: OperatorConfig, path: string, { errors }: Findings): void {
  maintenance.forEach(({ from, to }, at) => {
    if (Date.parse(from) >= Date.parse(to)) {
      errors.push({ path: `${path}.maintenance[${at}].to`, message: 'must be later than from' });
    }
  });
}

/** One prefix inside another is fine, the longest wins; the same one twice would be a toss-up. */
function checkPrefixes(operators: readonly OperatorConfig[], { errors }: Findings): void {
  const seen = new Map<string, string>();
  operators.forEach((operator, at) => {
    operator.prefixes.forEach((prefix, index) => {
      const path = `operators[${at}].prefixes[${index}]`;
      const first = seen.get(prefix);
      if (first) errors.push({ path, message: `"${prefix}" is given at ${first} too` });
      else seen.set(prefix, path);
    });
  });
}

/** An SMSC knows accounts, not our operators: it may send a receipt on any bind of the account, and only its operator's messages are looked up there. */
function checkAccounts(operators: readonly OperatorConfig[], { warnings }: Findings): void {
  const seen = new Map<string, { at: number; path: string }>();
  operators.forEach(({ binds }, at) => {
    binds.forEach(({ host, port, systemId }, index) => {
      const account = `${host.toLowerCase()} ${port} ${systemId}`;
      const path = `operators[${at}].binds[${index}]`;
      const first = seen.get(account);
      if (first === undefined) seen.set(account, { at, path });
      if (first === undefined || first.at === at) return;
      const message = `is the account of ${first.path} too: a receipt that the SMSC sends on a bind of the other operator finds no message`;
      warnings.push({ path: `${path}.system_id`, message });
    });
  });
}

const rateCards = ({ operators, messaging, voice }: FileConfig): [path: string, Priced][] => [
  ...operators.map((operator, at): [string, Priced] => [`operators[${at}]`, operator]),
  ...(messaging ? [['messaging', messaging] as [string, Priced]] : []),
  ...(voice?.trunks ?? []).map((trunk, at): [string, Priced] => [`voice.trunks[${at}]`, trunk]),
];

interface Priced {
  tariff: readonly Dated[];
}

/** A year that was mistyped lets messages out without a price, and so past every budget of money. */
function checkBegun({ tariff }: Priced, path: string, now: number, { warnings }: Findings): void {
  const [first, ...others] = tariff.map(({ validFrom }) => validFrom);
  if (first === undefined) return;
  const earliest = others.reduce((one, other) => (Date.parse(other) < Date.parse(one) ? other : one), first);
  if (Date.parse(earliest) <= now) return;
  const message = `none has begun: until ${earliest} no cost is known, and no budget of money counts what is sent`;
  warnings.push({ path: `${path}.tariff`, message });
}

interface Dated {
  version: string;
  validFrom: string;
}

/** The cards of one list; those of operators, WhatsApp and trunks have version and beginning in common. */
function checkTariffs({ tariff }: Priced, path: string, { errors }: Findings): void {
  tariff.forEach((entry, at) => {
    const earlier = tariff.slice(0, at);
    if (earlier.some((other) => other.version === entry.version)) {
      errors.push({ path: `${path}.tariff[${at}].version`, message: `"${entry.version}" is used twice` });
    }
    if (earlier.some((other) => Date.parse(other.validFrom) === Date.parse(entry.validFrom))) {
      errors.push({ path: `${path}.tariff[${at}].valid_from`, message: 'another tariff begins at the same moment' });
    }
  });
}

/** More in flight than three seconds' worth only queues at the SMSC, where a message that is late can't be withdrawn. */
function checkFlow({ binds, window, ratePerSecond }: OperatorConfig, path: string, { warnings }: Findings): void {
  const count = binds.reduce((sum, bind) => sum + bind.count, 0);
  const ratePerBind = ratePerSecond / count;
  if (window > 3 * ratePerBind) {
    const rate = Number(ratePerBind.toFixed(2));
    const message = `${window} is more than three times the ${rate} a second that each of ${count} bind(s) may send`;
    warnings.push({ path: `${path}.window`, message });
  }
}

/** What a bind can be made with. Found only when it is made, it would stop a reload half way: with the old binds closed. */
function checkBinds({ binds, serviceType }: OperatorConfig, path: string, { errors, warnings }: Findings): void {
  const writable = (where: string, text: string) => {
    const message = 'has a character that SMPP can not write (NUL, or outside ISO 8859-1)';
    if (text.includes('\0') || Buffer.from(text, 'latin1').toString('latin1') !== text)
      errors.push({ path: `${path}.${where}`, message });
  };
  writable('service_type', serviceType);
  binds.forEach((bind, at) => {
    const where = `binds[${at}]`;
    writable(`${where}.system_id`, bind.systemId);
    writable(`${where}.system_type`, bind.systemType);
    writable(`${where}.password`, bind.password);
    if (bind.password.length > mostPassword) {
      const message = `is longer than ${mostPassword} octets: no bind can be made with it`;
      errors.push({ path: `${path}.${where}.password`, message });
    } else if (Buffer.byteLength(bind.password) > 8) {
      const message = 'is longer than the 8 octets SMPP v3.4 has room for; some SMSCs refuse or cut it';
      warnings.push({ path: `${path}.${where}.password`, message });
    }
    errors.push(...authorityProblems(bind.tls?.ca, `${path}.${where}.tls.ca`));
    if (bind.tls && !bind.tls.rejectUnauthorized) {
      const message = 'false: any server that answers at this address can read the codes';
      warnings.push({ path: `${path}.${where}.tls.reject_unauthorized`, message });
    }
  });
}

/** Octets of a password that smpp/pdu.ts writes. */
const mostPassword = 64;
