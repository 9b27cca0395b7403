// The phones page as a whole: what one can send, the phones it arrives on, and the session behind it. On a narrow screen one of the
// three is shown, chosen at the bottom.

import { SessionPane } from '../session/pane.tsx';
import { useWords, type Words } from '../ui/languages.ts';
import { useDoor } from './door/store.ts';
import { useFocusKept } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';
import classes from './page.module.css';
import { PageProvider, type Pane, panes, useLookedAt, usePage } from './page-state.tsx';
import { PhonesPane } from './phones/phones-pane.tsx';
import { SendPane } from './send/send-pane.tsx';
import { TopBar } from './top-bar.tsx';

const words: Words<Pane | 'skip' | 'panes'> = {
  en: { send: 'Send', phones: 'Phones', session: 'Session', skip: 'Skip to the phones', panes: 'Parts of the page' },
  fr: {
    send: 'Envoyer',
    phones: 'Téléphones',
    session: 'Session',
    skip: 'Aller aux téléphones',
    panes: 'Parties de la page',
  },
  ar: { send: 'إرسال', phones: 'الهواتف', session: 'الجلسة', skip: 'إلى الهواتف', panes: 'أجزاء الصفحة' },
};

export function Page() {
  return (
    <PageProvider>
      <Panes />
    </PageProvider>
  );
}

function Panes() {
  useFocusKept();
  const { pane, showPane } = usePage();
  const say = useWords(words);
  return (
    <div className={classes.page}>
      {/* biome-ignore lint/a11y/useValidAnchor: on a narrow screen its target is shown first. */}
      <a className={classes.skip} href="#phones" onClick={() => showPane('phones')}>
        {say('skip')}
      </a>
      <TopBar />
      <main className={classes.panes}>
        <section
          className={classes.pane}
          data-pane="send"
          data-shown={pane === 'send' || undefined}
          aria-label={say('send')}
        >
          <SendPane />
        </section>
        <section
          id="phones"
          tabIndex={-1}
          className={classes.pane}
          data-pane="phones"
          data-shown={pane === 'phones' || undefined}
          aria-label={say('phones')}
        >
          <PhonesPane />
        </section>
        <section
          className={classes.pane}
          data-pane="session"
          data-shown={pane === 'session' || undefined}
          aria-label={say('session')}
        >
          <Session />
        </section>
      </main>
      <Tabs />
    </div>
  );
}

function Session() {
  const { webhooks, service } = useDoor();
  const { selected } = useLookedAt();
  return <SessionPane selected={selected} webhooks={webhooks} address={service?.http} />;
}

const icons: Record<Pane, IconName> = { send: 'plane', phones: 'sms', session: 'timeline' };

/** On narrow screens only. */
function Tabs() {
  const { pane, showPane } = usePage();
  const say = useWords(words);
  return (
    <nav className={classes.tabs} aria-label={say('panes')}>
      {panes.map((name) => (
        <button
          key={name}
          type="button"
          className={classes.tab}
          aria-current={name === pane ? 'page' : undefined}
          onClick={() => showPane(name)}
        >
          <Icon name={icons[name]} size={20} />
          {say(name)}
        </button>
      ))}
    </nav>
  );
}
