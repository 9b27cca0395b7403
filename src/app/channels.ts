// The channels of this deployment, made from its configuration, and their change on a reload: a channel is kept and only its settings
// are replaced, so that messages under way go on.

import { isDeepStrictEqual } from 'node:util';
import type { Binds, KnownIntake } from '../channels/channel.ts';
import { SmsChannel } from '../channels/sms/sms.ts';
import { TestChannel } from '../channels/test/test.ts';
import { VoiceChannel } from '../channels/voice/voice.ts';
import { type Config, diffConfig } from '../config.ts';
import type { AccountViews } from '../engine/accounts/views.ts';
import type { Channels } from '../engine/delivery/channels.ts';
import { type BindObserver, type BindState, statusName } from '../smpp/index.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Base, showOperators } from './base.ts';
import { messagingApp } from './messaging.ts';
import { oddityObserver, reportObserver } from './report-observer.ts';
import { VoiceCalls } from './voice.ts';

export interface ChannelParts {
  channels: Channels;
  intake: KnownIntake;
  accounts: Pick<AccountViews, 'view'>;
}

export type ChannelSet = ReturnType<typeof channelsFor>;

export function channelsFor(base: Base, { channels, intake, accounts }: ChannelParts) {
  const { live, now, metrics, logger, onError } = base;
  showOperators(metrics, live.config.operators);
  const onOddity = oddityObserver({ metrics, logger, now });
  const sms = new SmsChannel({
    operators: live.config.operators,
    intake,
    now,
    onError,
    service: () => live.config.service,
    observer: (operator, slot) => bindObserver({ metrics, logger, onOddity }, operator, slot),
    onReport: reportObserver({ metrics, logger, now }),
  });
  const test = new TestChannel({
    intake,
    now,
    onError,
    prefixes: () => live.config.operators.flatMap(({ prefixes }) => prefixes),
  });
  const messaging = messagingApp(base, intake);
  channels.setLive('sms', sms);
  channels.setLive('whatsapp', messaging.channel);
  const voice = new VoiceCalls(base, intake, accounts);
  channels.setLive('voice', voice.channel);
  channels.setTest(test);

  return {
    sms,
    voice,
    binds: bindsOf(sms, voice.channel),
    /** Binds of operators, and shares of trunks, over all processes. */
    bindCounts: () => new Map([...sms.bindCounts(), ...voice.channel.bindCounts()]),
    /** Businesses' own WhatsApp accounts. */
    waba: messaging.own.waba,
    /** Paths that carriers call. */
    callbacks: [messaging.callbacks],
    /** Binds of operators whose connection settings are the same stay up. Returns what needs a restart. */
    async reload(old: Config, next: Config): Promise<string[]> {
      const diff = diffConfig(old, next);
      const { changedOperators, restartNeeded } = diff;
      showOperators(metrics, next.operators);
      const before = sms.bindCounts();
      // All at once: an operator that hangs delays no other by the grace its binds are given.
      await Promise.all(
        changedOperators.map(({ id, kind }) => {
          const operator = next.operators.find((each) => each.id === id);
          if (kind === 'removed' || !operator) return sms.remove(id);
          if (kind === 'settings') return sms.configure(operator);
          return sms.replace(operator);
        }),
      );
      const after = sms.bindCounts();
      for (const { id } of changedOperators) forgetGone(metrics, id, before.get(id) ?? 0, after.get(id));
      sms.retry(); // A reload follows a mend, here or at an operator.
      if (!isDeepStrictEqual(old.messaging, next.messaging)) messaging.channel.configured();
      return [...restartNeeded, ...voice.reload(next, diff)];
    },
    async close(): Promise<void> {
      await Promise.all([sms.close(), messaging.channel.close(), messaging.own.close(), voice.close()]);
      test.stop();
    },
  };
}

/** Slots of operators are binds, slots of trunks are shares of their channels: both are leased in the same way. */
function bindsOf(sms: Binds, voice: VoiceChannel): Binds {
  return {
    setSlots: (name, slots, graceMs) =>
      VoiceChannel.isSlotName(name) ? voice.setSlots(name, slots) : sms.setSlots(name, slots, graceMs),
    isBound: (name, slot) => !VoiceChannel.isSlotName(name) && sms.isBound(name, slot),
  };
}

const states: readonly BindState[] = ['connecting', 'bound', 'sick', 'closing', 'backing_off', 'alarm', 'closed'];

/** Gauges of an operator that was removed (`after` is undefined), or of binds that it has no longer, would keep their last value. */
function forgetGone(metrics: Metrics, operator: string, before: number, after: number | undefined): void {
  for (let slot = after ?? 0; slot < before; slot += 1) {
    const bind = String(slot);
    for (const state of states) metrics.bindState.remove({ operator, bind, state });
    metrics.window.remove({ operator, bind });
  }
  if (after !== undefined) return;
  for (const gauge of ['operatorDown', 'operatorPaused', 'queueMessages', 'queueAge', 'operatorClockSkew'] as const)
    metrics[gauge].remove({ operator });
}

interface BindObserverParts {
  metrics: Metrics;
  logger: Logger;
  onOddity: ReturnType<typeof oddityObserver>;
}

/** SMPP v3.4 section 5.1.3: all codes above, also those of vendors (0x400 to 0x4FF), are reserved. */
const mostStatus = 0x4ff;

/** Each value is a time series of its own for as long as the process lives, and an SMSC may answer with any of 2^32. */
const statusLabel = (status: number): string => (status > mostStatus ? 'other' : statusName(status));

export function bindObserver(
  { metrics, logger, onOddity }: BindObserverParts,
  operator: string,
  slot: number,
): BindObserver {
  const bind = String(slot);
  return {
    onState: (state, detail) => {
      for (const each of states) metrics.bindState.set({ operator, bind, state: each }, each === state ? 1 : 0);
      const about = { operator, bind: slot, state, detail };
      if (state === 'alarm')
        logger.error(
          about,
          'the operator refuses our bind: check system_id, password and the address it expects us at',
        );
      else if (state === 'sick')
        logger.warn(
          about,
          'the operator leaves messages of this bind without an answer: other binds are preferred, ask the operator',
        );
      else if (state === 'backing_off') logger.warn(about, 'bind lost');
      else logger.info(about, 'bind');
    },
    onStatus: (command, status) => {
      if (command === 'submit_sm') metrics.submitStatus.inc({ operator, status: statusLabel(status) });
    },
    onSubmitRtt: (ms) => metrics.submitSeconds.observe({ operator }, ms / 1000),
    onThrottle: () => metrics.throttled.inc({ operator }),
    onWindow: (outstanding) => metrics.window.set({ operator, bind }, outstanding),
    onOddity: (oddity, detail) => onOddity(operator, slot, oddity, detail),
  };
}
