// Rules between the settings of a channel: of WhatsApp, what would carry tokens, codes or signups in clear; of the voice call, names of
// trunks, credentials, number formats, ports.

import { isLoopback } from './doors.ts';
import type { FileConfig, TrunkConfig, VoiceConfig } from './file.ts';
import type { Findings } from './problem.ts';
import { authorityProblems } from './tls-identity.ts';

export function checkMessaging({ messaging, service, sandbox }: FileConfig, findings: Findings): void {
  if (!messaging) return;
  // undici takes no such header: each message would be in doubt, as if its answer had been lost.
  if (!/^[!-~]+$/.test(messaging.accessToken)) {
    const message = 'must be printable ASCII without spaces: no request could carry it otherwise';
    findings.errors.push({ path: 'messaging.access_token', message });
  }
  if (new URL(messaging.graphBaseUrl).protocol === 'http:' && !sandbox) {
    const message = 'sends the access token and the codes in clear';
    findings.warnings.push({ path: 'messaging.graph_base_url', message });
  }
  if (!messaging.signup || sandbox) return;
  const { sdkUrl, dialogUrl, extras, allowedOrigins } = messaging.signup;
  const inClear = (url: string) => new URL(url).protocol === 'http:';
  const message = 'must be https: an attacker on the way could link accounts of their own';
  if ('sessionInfoVersion' in extras || 'setup' in extras) {
    const ended = 'is of version 2 of the signup, which ended on 15 October 2026: version 4 wants it empty';
    findings.errors.push({ path: 'messaging.signup.extras', message: ended });
  }
  checkSignupAddress(service, findings);
  if (inClear(dialogUrl)) findings.errors.push({ path: 'messaging.signup.dialog_url', message });
  if (inClear(sdkUrl)) findings.errors.push({ path: 'messaging.signup.sdk_url', message });
  allowedOrigins.forEach((origin, at) => {
    if (inClear(origin)) findings.errors.push({ path: `messaging.signup.allowed_origins[${at}]`, message });
  });
}

/** Where the links lead that businesses get. A missing address is no mistake where their own page opens the platform's window. */
function checkSignupAddress({ publicBaseUrl }: FileConfig['service'], { errors, warnings }: Findings): void {
  const path = 'service.public_base_url';
  if (publicBaseUrl === null) {
    const message = "is missing: a signup's link leads to http://localhost, which is the business's own machine";
    warnings.push({ path, message });
    return;
  }
  const { protocol, hostname } = new URL(publicBaseUrl);
  if (protocol !== 'http:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return;
  const message = 'must be https beside messaging.signup: an attacker on the way could take over signups';
  errors.push({ path, message });
}

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
