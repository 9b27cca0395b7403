// The list of calls that are over: how long each lasted, the digits that were heard in it, and its sound.

import { useContext } from 'react';
import { LanguageContext, useWords } from '../../ui/languages.ts';
import { Icon } from '../icons.tsx';
import classes from './calls-app.module.css';
import { CodeText } from './code.tsx';
import { useNewestInView } from './newest.ts';
import { shownNumber } from './numbers.ts';
import { type CallEntry, clockOf } from './phones.ts';
import { Player } from './player.tsx';
import { Screen } from './screen.tsx';
import { shownTime } from './time.ts';
import { phoneWords } from './words.ts';

export function CallsApp({ calls }: { calls: readonly CallEntry[] }) {
  const say = useWords(phoneWords);
  const list = useNewestInView<HTMLOListElement>(calls.length);
  return (
    <Screen className={classes.app} label={say('calls')}>
      <h3 className={classes.head}>{say('calls')}</h3>
      <ol className={classes.list} ref={list}>
        {calls.length === 0 && <li className={classes.none}>{say('noCalls')}</li>}
        {calls.map((call) => (
          <li key={call.id}>
            <Entry call={call} />
          </li>
        ))}
      </ol>
    </Screen>
  );
}

/** Why a phone was not answered. */
const notAnswered = (end: string | null) =>
  end === 'declined' || end === 'rejected' ? 'declined' : end === 'busy' ? 'busy' : 'missed';

function Entry({ call: { at, from, seconds, end, digits, keys, wav } }: { call: CallEntry }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(phoneWords);
  const isAnswered = seconds !== null || wav !== null;
  return (
    <div className={classes.entry} data-missed={!isAnswered || undefined}>
      <span className={classes.icon}>
        <Icon name={isAnswered ? 'phone' : 'hangUp'} size={18} />
      </span>
      <div className={classes.words}>
        <span className={classes.line}>
          <strong>
            {!isAnswered
              ? say(notAnswered(end))
              : seconds === null
                ? say('calls')
                : say('call', { time: clockOf(seconds) })}
          </strong>
          <time dateTime={at}>{shownTime(at, language)}</time>
        </span>
        <bdi className={classes.from} dir="ltr">
          {shownNumber(from)}
        </bdi>
        {isAnswered && (
          <span className={classes.heard}>
            {digits ? <Heard digits={digits} /> : say('heardNothing')}
            {keys && <span> · {say('pressed', { keys: [...keys].join(' ') })}</span>}
          </span>
        )}
        {wav && <Player wav={wav} seconds={seconds} />}
      </div>
    </div>
  );
}

/** The words around the digits, and the digits as a code to copy. */
function Heard({ digits }: { digits: string }) {
  const say = useWords(phoneWords);
  return <CodeText text={say('heard', { digits })} />;
}
