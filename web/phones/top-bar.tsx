// The bar at the top: what this is, whether it is live, and the choices that hold for the whole page.

import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Choices } from '../ui/choices.tsx';
import { useWords, type Words } from '../ui/languages.ts';
import { useAttention, useNotify } from './attention.ts';
import { useDoor } from './door/store.ts';
import { Icon, Sign } from './icons.tsx';
import { Tools } from './tools.tsx';
import classes from './top-bar.module.css';

const words: Words<'sandbox' | 'live' | 'connecting' | 'lost' | 'noService' | 'api' | 'notify' | 'dontNotify'> = {
  en: {
    sandbox: 'sandbox',
    live: 'Live',
    connecting: 'Connecting',
    lost: 'The sandbox does not answer',
    noService: 'The server is down',
    api: 'The API, to read and try',
    notify: 'Notify me of what arrives',
    dontNotify: 'Stop notifications',
  },
  fr: {
    sandbox: 'bac à sable',
    live: 'En direct',
    connecting: 'Connexion',
    lost: 'Le bac à sable ne répond pas',
    noService: 'Le serveur est arrêté',
    api: 'L’API, à lire et essayer',
    notify: 'Me prévenir des arrivées',
    dontNotify: 'Ne plus me prévenir',
  },
  ar: {
    sandbox: 'بيئة تجربة',
    live: 'مباشر',
    connecting: 'جارٍ الاتصال',
    lost: 'بيئة التجربة لا تجيب',
    noService: 'الخادم متوقف',
    api: 'واجهة API للقراءة والتجربة',
    notify: 'أعلمني بما يصل',
    dontNotify: 'أوقف الإشعارات',
  },
};

export function TopBar() {
  const { service } = useDoor();
  const say = useWords(words);
  const { can, notify, toggle } = useNotify();
  useAttention(notify);
  const notifyLabel = say(notify ? 'dontNotify' : 'notify');
  return (
    <header className={classes.header}>
      <div className={classes.brand}>
        <Sign />
        <h1 className={classes.name}>Ramz</h1>
        <span className={classes.kind}>{say('sandbox')}</span>
      </div>
      <Connection />
      <div className={classes.tools}>
        <Tools />
      </div>
      <div className={classes.choices}>
        {service && (
          <Button
            component="a"
            href={`${service.http}/docs`}
            target="_blank"
            rel="noreferrer"
            variant="default"
            size="xs"
            px="xs"
            aria-label={say('api')}
          >
            <Icon name="api" size={16} />
            <span className={classes.word}>API</span>
          </Button>
        )}
        {can && (
          <Tooltip label={notifyLabel}>
            <ActionIcon
              className={classes.bell}
              variant={notify ? 'filled' : 'default'}
              size="md"
              aria-label={notifyLabel}
              aria-pressed={notify}
              onClick={toggle}
            >
              <Icon name="bell" size={17} />
            </ActionIcon>
          </Tooltip>
        )}
        <Choices />
      </div>
    </header>
  );
}

function Connection() {
  const { connection, service } = useDoor();
  const say = useWords(words);
  const state = connection === 'live' && service === null ? 'noService' : connection;
  return (
    <div className={classes.connection} data-state={state} role="status">
      <span className={classes.light} />
      <span className={classes.state}>{say(state)}</span>
    </div>
  );
}
