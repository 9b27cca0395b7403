// Rules between the settings of operators: ids, prefixes, tariffs, flow, and what an open door looks like.

import type { Findings } from './findings.ts';
import type { OperatorConfig } from './types.ts';

export function checkOperators(operators: readonly OperatorConfig[], findings: Findings): void {
  checkIds(operators, findings);
  checkPrefixes(operators, findings);
  operators.forEach((operator, at) => {
    const path = `operators[${at}]`;
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

export function checkTariffs({ tariff }: Pick<OperatorConfig, 'tariff'>, path: string, { errors }: Findings): void {
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

function checkBinds({ binds }: OperatorConfig, path: string, { warnings }: Findings): void {
  binds.forEach((bind, at) => {
    if (Buffer.byteLength(bind.password) > 8) {
      const message = 'is longer than the 8 octets SMPP v3.4 has room for; some SMSCs refuse or cut it';
      warnings.push({ path: `${path}.binds[${at}].password`, message });
    }
    if (bind.tls && !bind.tls.rejectUnauthorized) {
      const message = 'false: whoever answers at this address can read the codes';
      warnings.push({ path: `${path}.binds[${at}].tls.reject_unauthorized`, message });
    }
  });
}
