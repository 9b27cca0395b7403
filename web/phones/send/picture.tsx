// A cascade as a picture: the legs in order, each with how it ends, and on the arrows the seconds that pass. Understood without words;
// for those who don't see it, it is named by the sentence beside it.

import { Fragment } from 'react';
import { Icon, type IconName } from '../icons.tsx';
import classes from './picture.module.css';
import type { Channel, Ending, Step } from './stories.ts';

const channelIcons: Record<Channel, IconName> = { sms: 'sms', whatsapp: 'whatsapp', voice: 'phone' };

const marks: Record<Ending, { icon: IconName; tone: 'good' | 'bad' | 'wait' }> = {
  delivered: { icon: 'check', tone: 'good' },
  early: { icon: 'check', tone: 'good' },
  answered: { icon: 'check', tone: 'good' },
  silent: { icon: 'clock', tone: 'wait' },
  late: { icon: 'clock', tone: 'wait' },
  throttled: { icon: 'gauge', tone: 'wait' },
  voicemail: { icon: 'tape', tone: 'bad' },
  no_answer: { icon: 'clock', tone: 'bad' },
  refused: { icon: 'cross', tone: 'bad' },
  undelivered: { icon: 'cross', tone: 'bad' },
  unreachable: { icon: 'cross', tone: 'bad' },
  busy: { icon: 'cross', tone: 'bad' },
  hung_up: { icon: 'cross', tone: 'bad' },
  declined: { icon: 'cross', tone: 'bad' },
};

interface PictureProps {
  steps: readonly Step[];
  /** Seconds that pass before the next leg, by leg; 0 = none. */
  seconds: readonly number[];
  size?: 'small' | 'large';
}

export function Picture({ steps, seconds, size = 'small' }: PictureProps) {
  return (
    <span className={classes.picture} data-size={size} aria-hidden="true">
      {steps.map(({ channel, ending }, leg) => {
        const { icon, tone } = marks[ending];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a leg is its place.
          <Fragment key={leg}>
            {leg > 0 && <Arrow seconds={seconds[leg - 1] ?? 0} />}
            <span className={classes.leg} data-channel={channel}>
              <Icon name={channelIcons[channel]} size={size === 'large' ? 30 : 17} />
              <span className={classes.mark} data-tone={tone}>
                <Icon name={icon} size={size === 'large' ? 18 : 12} />
              </span>
            </span>
          </Fragment>
        );
      })}
    </span>
  );
}

function Arrow({ seconds }: { seconds: number }) {
  return (
    <span className={classes.arrow}>
      {seconds > 0 && <bdi className={classes.seconds}>{seconds} s</bdi>}
      <Icon name="arrow" size={14} directed />
    </span>
  );
}
