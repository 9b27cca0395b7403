// The bar at the top of a phone: time, operator, reception and battery, around the camera.

import { useContext } from 'react';
import { LanguageContext } from '../../ui/languages.ts';
import { useNow } from '../../ui/now.ts';
import classes from './device.module.css';
import { shownTime } from './time.ts';

export function StatusBar({ operator }: { operator: string }) {
  const now = useNow(true, 20_000);
  const { language } = useContext(LanguageContext);
  return (
    <div className={classes.status} aria-hidden="true">
      <span className={classes.time}>{shownTime(now, language)}</span>
      <span className={classes.island} />
      <span className={classes.reception}>
        <span className={classes.operator}>{operator}</span>
        <svg width="34" height="12" viewBox="0 0 34 12" aria-hidden="true" focusable="false">
          <path d="M0 8h2.4v4H0zM3.6 5.5H6V12H3.6zM7.2 3h2.4v9H7.2zM10.8 0h2.4v12h-2.4z" fill="currentColor" />
          <rect x="16.5" y="1" width="14.5" height="10" rx="3" fill="none" stroke="currentColor" opacity=".5" />
          <rect x="18" y="2.5" width="9.5" height="7" rx="1.8" fill="currentColor" />
          <path d="M32.3 4.2v3.6c.8-.3 1.3-1 1.3-1.8s-.5-1.5-1.3-1.8z" fill="currentColor" opacity=".6" />
        </svg>
      </span>
    </div>
  );
}
