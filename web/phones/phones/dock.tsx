// The three apps at the bottom of a phone, with a count of what arrived in those that are not open.

import { useWords } from '../../ui/languages.ts';
import { Icon, type IconName } from '../icons.tsx';
import classes from './device.module.css';
import { shownNumber } from './numbers.ts';
import { type App, apps } from './phones.ts';
import { phoneWords } from './words.ts';

const icons: Record<App, IconName> = { sms: 'sms', whatsapp: 'whatsapp', voice: 'phone' };

interface DockProps {
  number: string;
  front: App | null;
  /** What arrived in an app since it was in front. */
  unseen(app: App): number;
  open(app: App): void;
}

export function Dock({ number, front, unseen, open }: DockProps) {
  const say = useWords(phoneWords);
  const names: Record<App, string> = { sms: say('messages'), whatsapp: 'WhatsApp', voice: say('calls') };
  return (
    <nav className={classes.dock} aria-label={say('apps', { number: shownNumber(number) })}>
      {apps.map((app) => {
        const count = unseen(app);
        return (
          <button
            key={app}
            type="button"
            className={classes.app}
            data-app={app}
            aria-current={app === front ? 'true' : undefined}
            aria-label={count > 0 ? say('unseen', { app: names[app], count }) : names[app]}
            onClick={() => open(app)}
          >
            <Icon name={icons[app]} size={22} />
            {count > 0 && <span className={classes.badge}>{count}</span>}
          </button>
        );
      })}
    </nav>
  );
}
