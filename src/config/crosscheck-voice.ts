// Rules between the settings of the voice call: names of trunks, credentials, number formats, ports.

import type { FileConfig, TrunkConfig, VoiceConfig } from './file.ts';
import type { Findings } from './problem.ts';
import { authorityProblems } from './tls-identity.ts';

/** RTP and RTCP of one call (RFC 3550 section 11). */
const portsPerCall = 2;

export function checkVoice({ voice, verify }: FileConfig, findings: Findings): void {
  if (!voice) return;
  checkNames(voice, findings);
  checkPorts(voice, findings);
  const leg = verify.cascade.find(({ channel }) => channel === 'voice');
  voice.trunks.forEach((trunk, at) => {
    const path = `voice.trunks[${at}]`;
    checkTrunk(trunk, path, findings);
    if (leg && leg.timeoutSeconds <= trunk.ringSeconds) {
      const message = `is not less than the ${leg.timeoutSeconds} s of the voice leg, whose end stops the ringing`;
      findings.warnings.push({ path: `${path}.ring_seconds`, message });
    }
  });
}

function checkNames({ trunks }: VoiceConfig, { errors }: Findings): void {
  trunks.forEach(({ name, local, transport }, at) => {
    const first = trunks.findIndex((other) => other.name === name);
    const path = `voice.trunks[${at}]`;
    if (first < at)
      errors.push({ path: `${path}.name`, message: `"${name}" is the name of voice.trunks[${first}] too` });
    if (local.port === 0 || transport !== 'udp') return;
    const sharing = trunks.findIndex((other) => other.transport === 'udp' && other.local.port === local.port);
    if (sharing < at) {
      errors.push({ path: `${path}.local.port`, message: `${local.port} is the port of voice.trunks[${sharing}] too` });
    }
  });
}

function checkPorts({ media, trunks }: VoiceConfig, { errors }: Findings): void {
  const { from, to } = media.ports;
  const path = 'voice.media.ports';
  if (from > to) {
    errors.push({ path: `${path}.from`, message: `is greater than ${path}.to` });
    return;
  }
  const channels = trunks.reduce((sum, trunk) => sum + trunk.channels, 0);
  // A pair begins with an even port (RFC 3550 section 11).
  const pairs = Math.floor((to + 1) / portsPerCall) - Math.ceil(from / portsPerCall);
  if (pairs >= channels) return;
  const message = `have room for ${pairs} call(s), ${portsPerCall} ports each, but the trunks have ${channels} channels`;
  errors.push({ path, message });
}

function checkTrunk(trunk: TrunkConfig, path: string, { errors, warnings }: Findings): void {
  const { username, password, transport, tls, numberFormat, countryCode, prefixes } = trunk;
  if (username !== null && password === null)
    errors.push({ path: `${path}.password`, message: 'is missing beside username' });
  if (username === null && password !== null)
    errors.push({ path: `${path}.username`, message: 'is missing beside password' });
  errors.push(...authorityProblems(tls?.ca, `${path}.tls.ca`));
  if (tls && transport !== 'tls') errors.push({ path: `${path}.tls`, message: 'is only for transport "tls"' });
  if (tls && !tls.rejectUnauthorized) {
    const message = 'false: any server that answers at this address can make and hear the calls';
    warnings.push({ path: `${path}.tls.reject_unauthorized`, message });
  }
  if (numberFormat !== 'national') return;
  if (countryCode === null) {
    errors.push({ path: `${path}.country_code`, message: 'is missing beside number_format "national"' });
    return;
  }
  prefixes.forEach((prefix, index) => {
    if (prefix.startsWith(`+${countryCode}`)) return;
    const message = `"${prefix}" is not in country ${countryCode}, and number_format "national" can't write others`;
    errors.push({ path: `${path}.prefixes[${index}]`, message });
  });
}
