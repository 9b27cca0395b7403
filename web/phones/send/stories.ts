// What the scenarios look like: per leg the channel, how it ends, and how long the page lets it wait, so that a cascade is seen within
// seconds. What happens on the network is the sandbox's own (src/core/verify/scenarios.ts); this is its picture.

import type { ScenarioName } from '../../../src/core/verify/scenarios.ts';

export type { ScenarioName };

export type Ending =
  /** The code arrived. */
  | 'delivered'
  /** Taken, and nothing more was heard. */
  | 'silent'
  /** Arrived after the cascade had moved on. */
  | 'late'
  | 'refused'
  | 'undelivered'
  | 'throttled'
  | 'early'
  | 'unreachable'
  | 'answered'
  | 'busy'
  | 'no_answer'
  | 'hung_up'
  | 'voicemail'
  | 'declined';

export type Channel = 'sms' | 'whatsapp' | 'voice';

export interface Step {
  channel: Channel;
  ending: Ending;
}

const sms = (ending: Ending): Step => ({ channel: 'sms', ending });
const appDelivers: Step = { channel: 'whatsapp', ending: 'delivered' };
const silentTexts: Step[] = [sms('silent'), { channel: 'whatsapp', ending: 'silent' }];
const call = (ending: Ending): Step => ({ channel: 'voice', ending });

/** A throttled submit is delivered in the end: its picture has both. */
export const stories: Readonly<Record<ScenarioName, readonly Step[]>> = {
  sms_delivered: [sms('delivered')],
  sms_silent: [sms('silent'), appDelivers],
  sms_late: [sms('late'), appDelivers],
  sms_rejected: [sms('refused'), appDelivers],
  sms_undelivered: [sms('undelivered'), appDelivers],
  sms_throttled: [sms('throttled'), sms('delivered')],
  sms_early_receipt: [sms('early')],
  app_unreachable: [sms('silent'), { channel: 'whatsapp', ending: 'unreachable' }, call('answered')],
  voice_busy: [...silentTexts, call('busy')],
  voice_no_answer: [...silentTexts, call('no_answer')],
  voice_hangs_up: [...silentTexts, call('hung_up')],
  voice_voicemail: [...silentTexts, call('voicemail')],
  voice_rejected: [...silentTexts, call('declined')],
};

export const scenarioNames = Object.keys(stories) as ScenarioName[];

export const isScenario = (name: string): name is ScenarioName => name in stories;

export interface Leg {
  channel: Channel;
  timeoutSeconds: number;
}

/** Legs that wait for nothing but a timeout are short; a call has the time to read its code twice. */
const textSeconds = 4;
const callSeconds = 40;
const unansweredSeconds = 10;

export function legsOf(name: ScenarioName): Leg[] {
  const forCall = name === 'voice_no_answer' ? unansweredSeconds : callSeconds;
  return [
    { channel: 'sms', timeoutSeconds: textSeconds },
    { channel: 'whatsapp', timeoutSeconds: textSeconds },
    { channel: 'voice', timeoutSeconds: forCall },
  ];
}

/** Seconds that pass at each step of the picture before the next one; 0 where nothing is waited for. */
export const secondsOf = (name: ScenarioName): number[] =>
  stories[name].map(({ ending }, leg) => {
    const waits = ending === 'silent' || ending === 'late' || ending === 'no_answer';
    return waits ? (legsOf(name)[leg]?.timeoutSeconds ?? 0) : 0;
  });

export const waitOf = (name: ScenarioName): number[] => secondsOf(name).filter((seconds) => seconds > 0);
