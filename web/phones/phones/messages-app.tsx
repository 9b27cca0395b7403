// The app of text messages: one thread, in which each sender's bubbles stand under its name. The head has the newest sender.

import { useContext } from 'react';
import { LanguageContext, useWords } from '../../ui/languages.ts';
import type { InboxMessage } from '../door/events.ts';
import { Icon } from '../icons.tsx';
import { CodeText } from './code.tsx';
import classes from './messages-app.module.css';
import { useNewestInView } from './newest.ts';
import { Screen } from './screen.tsx';
import { shownTime } from './time.ts';
import { phoneWords } from './words.ts';

export function MessagesApp({ messages }: { messages: readonly InboxMessage[] }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(phoneWords);
  const list = useNewestInView<HTMLOListElement>(messages.length);
  const sender = messages.at(-1)?.from ?? say('messages');
  return (
    <Screen className={classes.app} label={say('messages')}>
      <header className={classes.head}>
        <span className={classes.back}>
          <Icon name="back" size={22} directed />
        </span>
        <span className={classes.avatar} aria-hidden="true">
          {[...sender][0]}
        </span>
        <bdi className={classes.sender}>{sender}</bdi>
      </header>
      <ol className={classes.thread} ref={list}>
        {messages.length === 0 && <li className={classes.none}>{say('noMessages')}</li>}
        {messages.map(({ id, from, text, received_at }, at) => (
          <li key={id} className={classes.entry}>
            {from !== messages[at - 1]?.from && messages.some((other) => other.from !== from) && (
              <bdi className={classes.from}>{from}</bdi>
            )}
            <time className={classes.time} dateTime={received_at}>
              {shownTime(received_at, language)}
            </time>
            <div className={classes.bubble}>
              <CodeText text={text} />
            </div>
          </li>
        ))}
      </ol>
    </Screen>
  );
}
