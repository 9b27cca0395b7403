// A call on the phone: it rings; where it waits for the person, the person answers or declines; once it is up it is heard, its digits
// appear as they are spoken, keys can be pressed, and it can be ended.

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWords } from '../../ui/languages.ts';
import { useNow } from '../../ui/now.ts';
import type { PhoneCall } from '../door/events.ts';
import { type Order, order } from '../door/orders.ts';
import { Icon, type IconName } from '../icons.tsx';
import { OrderAlert } from '../order-alert.tsx';
import classes from './call-screen.module.css';
import { useCopy } from './code.tsx';
import { shownNumber } from './numbers.ts';
import { clockOf } from './phones.ts';
import { Screen } from './screen.tsx';
import { soundOf } from './sound.ts';
import { phoneWords } from './words.ts';

export function CallScreen({ call }: { call: PhoneCall }) {
  const say = useWords(phoneWords);
  // An answer by the person here is a wish to hear; else the sound waits for a click, as browsers demand.
  const [listens, setListens] = useState(false);
  const { mutate, isPending, error } = useMutation({ mutationFn: (what: Order) => order(what) });
  const { to, from, person, state } = call;
  const isRinging = state === 'ringing';
  return (
    <Screen className={classes.call} data-state={state} label={say(isRinging ? 'incoming' : 'connected')}>
      <div className={classes.caller}>
        <span className={classes.avatar}>
          <Icon name="person" size={46} />
        </span>
        <bdi className={classes.from} dir="ltr">
          {shownNumber(from)}
        </bdi>
        {isRinging ? <span role="status">{say('incoming')}</span> : <Timer since={call.answered_at} />}
        <OrderAlert error={error} className={classes.refused} />
      </div>
      {isRinging && !person && <p className={classes.note}>{say('byItself')}</p>}
      {isRinging && person && (
        <div className={classes.actions}>
          <Round
            icon="hangUp"
            tone="bad"
            label={say('decline')}
            onClick={() => mutate({ action: 'voice_decline', to })}
            disabled={isPending}
          />
          <Round
            icon="phone"
            tone="good"
            label={say('answer')}
            disabled={isPending}
            onClick={() => {
              setListens(true);
              mutate({ action: 'voice_answer', to });
            }}
          />
        </div>
      )}
      {!isRinging && (
        <>
          <output className={classes.digits} aria-live="polite">
            {call.digits ? <Digits digits={call.digits} /> : <Waves />}
          </output>
          <Keypad
            keys={call.keys}
            hints={person && call.keys === '' && call.digits === ''}
            onPress={(key) => mutate({ action: 'voice_press', to, key })}
          />
          <div className={classes.actions}>
            <Round
              icon="sound"
              tone={listens ? 'on' : 'plain'}
              label={say(listens ? 'stopListening' : 'listen')}
              onClick={() => setListens(!listens)}
              disabled={!call.wav}
            />
            <Round
              icon="hangUp"
              tone="bad"
              label={say('hangUp')}
              onClick={() => mutate({ action: 'voice_hang_up', to })}
            />
          </div>
          {/* biome-ignore lint/a11y/useMediaCaption: what is spoken appears as digits. */}
          {listens && call.wav && <audio src={soundOf(call.wav, true)} autoPlay />}
        </>
      )}
    </Screen>
  );
}

function Timer({ since }: { since: string | null }) {
  const now = useNow(true, 1_000);
  const seconds = since === null ? 0 : Math.max(0, (now - Date.parse(since)) / 1000);
  return <span className={classes.timer}>{clockOf(seconds)}</span>;
}

interface RoundProps {
  icon: IconName;
  tone: 'good' | 'bad' | 'plain' | 'on';
  label: string;
  disabled?: boolean;
  onClick(): void;
}

function Round({ icon, tone, label, disabled = false, onClick }: RoundProps) {
  return (
    <button type="button" className={classes.round} data-tone={tone} disabled={disabled} onClick={onClick}>
      <span className={classes.disc}>
        <Icon name={icon} size={26} />
      </span>
      {label}
    </button>
  );
}

const keypad = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];

interface KeypadProps {
  keys: string;
  /** The call waits for the person to press one: only then it speaks the code. */
  hints: boolean;
  onPress(key: string): void;
}

function Keypad({ keys, hints, onPress }: KeypadProps) {
  const say = useWords(phoneWords);
  return (
    <fieldset className={classes.keypad} aria-label={say('keypad')} dir="ltr">
      <output className={classes.pressed} data-hint={hints || undefined}>
        {keys ? say('pressed', { keys: [...keys].join(' ') }) : hints ? say('pressHint') : '\u00a0'}
      </output>
      {keypad.map((key) => (
        <button
          key={key}
          type="button"
          className={classes.key}
          aria-label={say('key', { key })}
          onClick={() => onPress(key)}
        >
          {key}
        </button>
      ))}
    </fieldset>
  );
}

/** Each as it is spoken. */
function Digits({ digits }: { digits: string }) {
  const say = useWords(phoneWords);
  const { copied, copy } = useCopy(digits);
  return (
    <button
      type="button"
      className={classes.spoken}
      aria-label={say('copy', { code: digits })}
      data-copied={copied || undefined}
      onClick={copy}
      dir="ltr"
    >
      {[...digits].map((digit, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a digit is its place.
        <span key={at}>{digit}</span>
      ))}
    </button>
  );
}

/** The caller speaks, and no digit was heard yet. */
function Waves() {
  return (
    <span className={classes.waves} aria-hidden="true">
      <i />
      <i />
      <i />
      <i />
      <i />
    </span>
  );
}
