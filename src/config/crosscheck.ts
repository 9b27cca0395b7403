// Rules between settings that no single one can know: bounds around defaults, routing, senders of trouble.
// Errors stop the start; warnings are for what works, but probably not as meant.

import { checkOperators, checkTariffs } from './crosscheck-operators.ts';
import type { FileConfig } from './file.ts';
import type { Findings } from './findings.ts';

export function crosscheck(file: FileConfig): Findings {
  const findings: Findings = { errors: [], warnings: [] };
  checkVerify(file, findings);
  checkService(file, findings);
  checkOperators(file.operators, findings);
  checkMessaging(file, findings);
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

function checkService({ limits, webhooks, operators, scenarioPrefix, sandbox }: FileConfig, findings: Findings): void {
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
  if (webhooks.allowPrivateTargets && !sandbox) {
    const path = 'webhooks.allow_private_targets';
    findings.warnings.push({ path, message: 'lets every account reach addresses inside your own network' });
  }
  const prefixes = operators.flatMap((operator) => operator.prefixes);
  if (scenarioPrefix && !prefixes.some((prefix) => scenarioPrefix.startsWith(prefix))) {
    findings.errors.push({ path: 'scenario_prefix', message: 'belongs to no operator' });
  }
}

function checkMessaging({ messaging, sandbox }: FileConfig, findings: Findings): void {
  if (!messaging) return;
  checkTariffs(messaging, 'messaging', findings);
  if (new URL(messaging.graphBaseUrl).protocol === 'http:' && !sandbox) {
    const message = 'sends the access token and the codes in clear';
    findings.warnings.push({ path: 'messaging.graph_base_url', message });
  }
  if (!messaging.signup || sandbox) return;
  const { sdkUrl, allowedOrigins } = messaging.signup;
  const inClear = (url: string) => new URL(url).protocol === 'http:';
  const message = 'must be https: whoever can change it on its way links accounts of their own';
  if (inClear(sdkUrl)) findings.errors.push({ path: 'messaging.signup.sdk_url', message });
  allowedOrigins.forEach((origin, at) => {
    if (inClear(origin)) findings.errors.push({ path: `messaging.signup.allowed_origins[${at}]`, message });
  });
}
