// The wiring of the voice call: the channel, the trunks' signalling, the media thread with its recordings, metrics, log lines. The log lines are
// alerts, so each names the action its reader must take.

import type { ReceiptIntake } from '../channels/channel.ts';
import { isOfTheTrunk } from '../channels/voice/answer.ts';
import type { Banks } from '../channels/voice/clip.ts';
import { Media } from '../channels/voice/media/media.ts';
import { loadBank, placeholderWarning } from '../channels/voice/prompts/bank.ts';
import { promptLanguages } from '../channels/voice/prompts/texts.ts';
import { SipCaller } from '../channels/voice/sip-caller.ts';
import { VoiceChannel } from '../channels/voice/voice.ts';
import { type Config, type ConfigDiff, type Sound, soundChanges, type VoiceConfig } from '../config.ts';
import type { CallReport } from '../core/verify/call.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import { Seldom } from '../time/seldom.ts';
import type { Base } from './base.ts';
import { StartRefused } from './lifecycle.ts';

/** What calls are made with: there is none until trunks are configured. */
interface Made {
  caller: SipCaller;
  media: Media;
  /** The first configuration that has it decides, whatever reloads bring later. */
  sound: Sound;
}

export interface TrunkState {
  trunk: string;
  up: boolean;
  /** Calls at once that this process may have, and has. */
  channels: number;
  calls: number;
}

/** How long a gap is shown: Prometheus asks every 15 s to a minute, and the gauges are set every 5 s. */
const shownMs = 60_000;

/** The longest of the gaps within a minute. A gap that was shown until the next reading alone would be missed by most scrapes. */
export class LongestGap {
  #gaps: { gapMs: number; at: number }[] = [];

  /** `gapMs`: the longest since the last call; `at`: by a clock that is never set. */
  note(gapMs: number, at: number): number {
    this.#gaps = this.#gaps.filter((each) => at - each.at < shownMs);
    this.#gaps.push({ gapMs, at });
    return Math.max(...this.#gaps.map((each) => each.gapMs));
  }
}

export class VoiceCalls {
  readonly channel: VoiceChannel;
  readonly #base: Base;
  readonly #alerts: Alerts;
  readonly #longestGap = new LongestGap();
  #made: Made | null = null;

  constructor(base: Base, intake: Pick<ReceiptIntake, 'take' | 'takeAnswered'>, accounts: Pick<AccountViews, 'view'>) {
    const { live, now, metrics, onError } = base;
    this.#base = base;
    this.#alerts = new Alerts(base);
    this.channel = new VoiceChannel({
      caller: {
        place: async (call, listener) =>
          this.#made?.caller.place(call, listener) ?? { kind: 'not_placed', why: 'trunk' },
        end: (id, how) => this.#made?.caller.end(id, how),
      },
      requireKey: () => live.config.voice?.requireKey ?? true,
      spokenLanguage: async (accountId) => {
        const { language } = await accounts.view(accountId, 'live');
        return language === 'fr' ? 'fr' : 'ar';
      },
      intake,
      now,
      onCall: (trunk, word, call, why, failure) => {
        metrics.callTries.inc({ trunk, outcome: word });
        if (call) this.#alerts.ended(trunk, call);
        else if (word === 'unknown') this.#alerts.silent(trunk);
        else if (why === 'no_port') this.#alerts.noPort(trunk);
        else if (why === 'trunk') this.#alerts.unreachable(trunk, failure ?? null);
      },
      onError,
    });
  }

  /** @throws StartRefused where a recording is missing or broken. */
  async start(): Promise<void> {
    const { voice } = this.#base.live.config;
    if (!voice) return;
    const problems = this.#make(voice);
    if (problems.length > 0) throw new StartRefused(problems.map((problem) => `prompts: ${problem}`).join('\n'));
    this.channel.configure(voice.trunks);
    for (const trunk of voice.trunks) this.#connect(trunk.name, voice);
  }

  /** Calls under way go on: a trunk with other connection settings gets a line of its own. Returns what needs a restart. */
  reload(next: Config, { changedTrunks }: Pick<ConfigDiff, 'changedTrunks'>): string[] {
    const { voice } = next;
    const isFirst = this.#made === null;
    const problems = voice && isFirst ? this.#make(voice) : [];
    for (const problem of problems) this.#base.logger.error({ problem }, 'no call can be made: correct the recordings');
    if (problems.length > 0) return ['voice.prompts'];
    this.channel.configure(voice?.trunks ?? []);
    // Those that a reload before could not take over are no change any more.
    const changes = isFirst
      ? (voice?.trunks ?? []).map(({ name }) => ({ name, kind: 'added' as const }))
      : changedTrunks;
    for (const { name, kind } of changes) {
      const config = voice?.trunks.find((each) => each.name === name);
      if (kind === 'removed' || !config || !voice) this.#disconnect(name);
      else if (kind === 'settings') this.#made?.caller.configure(config);
      else this.#connect(name, voice);
    }
    return voice && this.#made ? soundChanges(this.#made.sound, voice) : [];
  }

  states(): TrunkState[] {
    return this.channel.trunks.map(({ name, isUp, channels, calls }) => ({ trunk: name, up: isUp, channels, calls }));
  }

  /** Brings the gauges up to date. */
  measure(): void {
    const { metrics } = this.#base;
    for (const { name, isUp, calls } of this.channel.trunks) {
      metrics.trunkUp.set({ trunk: name }, isUp ? 1 : 0);
      metrics.trunkCalls.set({ trunk: name }, calls);
    }
    if (!this.#made) return;
    const { sent, received, strangers, malformed, refused, gapMs } = this.#made.media.figures();
    for (const [what, count] of Object.entries({ sent, received, strangers, malformed, refused })) {
      metrics.rtpPackets.set({ what }, count);
    }
    metrics.rtpGap.set(this.#longestGap.note(gapMs, performance.now()) / 1000);
  }

  /** Takes no new calls; those under way have so long. Resolves once their last reports are stored. */
  drain(graceMs: number): Promise<void> {
    return this.channel.drain(graceMs);
  }

  async close(): Promise<void> {
    // Calls that did not end in time end now, and so they have a last report.
    await this.#made?.caller.close();
    await this.channel.drain(0);
    await this.#made?.media.stop();
  }

  /** Returns what is wrong with the recordings. */
  #make({ media: settings, prompts }: VoiceConfig): string[] {
    const { host, ports, advertise } = settings;
    const { now, logger, metrics } = this.#base;
    const loaded = promptLanguages.map((language) => loadBank({ language, folder: prompts[language] }));
    const problems = loaded.flatMap((each) => (each.kind === 'refused' ? each.problems : []));
    if (problems.length > 0) return problems;
    const banks: Banks = new Map(
      loaded.flatMap((each) => {
        if (each.kind === 'refused') return [];
        const warning = placeholderWarning(each.bank);
        if (warning) logger.warn({ language: each.bank.language }, warning);
        return [[each.bank.language, each.bank.clips]];
      }),
    );
    const media = new Media({
      address: host,
      ports,
      banks,
      onEvent: (callId, event) => caller.hear(callId, event),
      onThreadLost: (error) => this.#alerts.threadLost(error),
    });
    const caller: SipCaller = new SipCaller({
      media,
      advertise,
      boundTo: host,
      now,
      onTrunk: (trunk, isUp, why) => {
        this.channel.trunk(trunk)?.setUp(isUp);
        this.#alerts.trunk(trunk, isUp, why);
      },
      onDropped: (trunk, why) => metrics.sipDropped.inc({ trunk, why }),
    });
    this.#made = { caller, media, sound: { media: settings, prompts } };
    return [];
  }

  #connect(name: string, { trunks }: VoiceConfig): void {
    const config = trunks.find((each) => each.name === name);
    if (!config) return;
    this.channel.trunk(name)?.reconnected();
    this.#made?.caller.connect(config);
  }

  #disconnect(name: string): void {
    const { metrics } = this.#base;
    this.#made?.caller.disconnect(name);
    metrics.trunkUp.remove({ trunk: name });
    metrics.trunkCalls.remove({ trunk: name });
  }
}

/** A complaint is logged once in this time: a wrong password would fill the log at the rate of calls. */
const silenceMs = 60_000;

class Alerts {
  readonly #base: Base;
  readonly #lines: Seldom;

  constructor(base: Base) {
    this.#base = base;
    this.#lines = new Seldom(base.now);
  }

  trunk(trunk: string, isUp: boolean, why: string): void {
    const { logger } = this.#base;
    if (isUp) logger.info({ trunk, why }, 'a SIP trunk takes calls again');
    else
      logger.error(
        { trunk, why },
        'a SIP trunk is not there: check its address and the firewall; calls go out by the other trunks of a number, or their leg is skipped',
      );
  }

  ended(trunk: string, { sipCode, q850, state, answeredAt }: CallReport): void {
    const complain = (message: string) => this.#complain({ trunk, sip_code: sipCode }, message);
    if (sipCode === 401 || sipCode === 403 || sipCode === 407)
      complain('a SIP trunk refuses our calls: check username, password, caller_id and the address it expects us at');
    else if (sipCode === 488) complain('a SIP trunk has no codec in common with us: it must take PCMA or PCMU');
    else if (sipCode !== null && isOfTheTrunk(sipCode, q850))
      complain(
        'a SIP trunk takes no calls for a reason of its own: ask its operator, with the SIP code (402: it is out of credit)',
      );
    else if (state === 'media_lost' && answeredAt !== null)
      complain(
        'an answered call had no sound for us: check voice.media.advertise, that its ports are open both ways, and that the trunk takes PCMA or PCMU',
      );
  }

  silent(trunk: string): void {
    this.#complain({ trunk }, 'a SIP trunk gave a call no answer of any kind: check the address and the firewall');
  }

  /** Where the trunk is not asked by OPTIONS, nothing else says so. */
  unreachable(trunk: string, why: string | null): void {
    this.#complain(
      { trunk, ...(why === null ? {} : { why }) },
      'a SIP trunk could not be reached for a call, or went on asking for credentials: check its address, transport and certificate, and the firewall',
    );
  }

  noPort(trunk: string): void {
    this.#complain(
      { trunk },
      'no pair of UDP ports could be opened for a call, which waits: check voice.media.host, voice.media.ports, what else uses those ports, and the limit of open files',
    );
  }

  threadLost(err: Error): void {
    this.#base.logger.error({ err }, 'the media thread died: its calls are ended, and another one takes its place');
  }

  #complain(about: { trunk: string; sip_code?: number | null; why?: string }, message: string): void {
    if (this.#lines.isDue(`${about.trunk} ${message}`, silenceMs)) this.#base.logger.error(about, message);
  }
}
