// A phone that nothing has reached yet.

import { useContext } from 'react';
import { LanguageContext, useWords } from '../../ui/languages.ts';
import { useNow } from '../../ui/now.ts';
import classes from './lock-screen.module.css';
import { shownDay, shownTime } from './time.ts';
import { phoneWords } from './words.ts';

export function LockClock() {
  const now = useNow(true, 20_000);
  const { language } = useContext(LanguageContext);
  return (
    <span className={classes.now}>
      <span>{shownDay(now, language)}</span>
      <span className={classes.clock}>{shownTime(now, language)}</span>
    </span>
  );
}

export function LockScreen({ awaits }: { awaits: boolean }) {
  const say = useWords(phoneWords);
  return (
    <div className={classes.lock}>
      <LockClock />
      <span className={classes.notice}>
        {awaits && (
          <span className={classes.dots} aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
        )}
        {say(awaits ? 'waiting' : 'nothing')}
      </span>
    </div>
  );
}
