// WhatsApp as a business's message looks there: the green head with the business's name, the bubble with its small line, the time, and
// the button that copies the code.

import { useContext } from 'react';
import { LanguageContext, useWords } from '../../ui/languages.ts';
import type { InboxMessage } from '../door/events.ts';
import { Icon } from '../icons.tsx';
import { CodeText, useCopy } from './code.tsx';
import { codeIn, templateText } from './codes.ts';
import { useNewestInView } from './newest.ts';
import { Screen } from './screen.tsx';
import { shownTime } from './time.ts';
import classes from './whatsapp-app.module.css';
import { phoneWords } from './words.ts';

export function WhatsAppApp({ messages }: { messages: readonly InboxMessage[] }) {
  const say = useWords(phoneWords);
  const list = useNewestInView<HTMLOListElement>(messages.length);
  const business = messages.at(-1)?.from ?? 'WhatsApp';
  return (
    <Screen className={classes.app} label="WhatsApp">
      <header className={classes.head}>
        <Icon name="back" size={20} directed />
        <span className={classes.avatar} aria-hidden="true">
          {[...business][0]}
        </span>
        <span className={classes.names}>
          <span className={classes.name}>
            <bdi>{business}</bdi>
            <span className={classes.verified}>
              <Icon name="verified" size={15} />
            </span>
          </span>
          <span className={classes.kind}>{say('business')}</span>
        </span>
        <Icon name="more" size={18} />
      </header>
      <ol className={classes.thread} ref={list}>
        {messages.length === 0 && <li className={classes.none}>{say('noMessages')}</li>}
        {messages.map((message) => (
          <li key={message.id}>
            <Bubble message={message} />
          </li>
        ))}
      </ol>
    </Screen>
  );
}

function Bubble({ message: { text, received_at } }: { message: InboxMessage }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(phoneWords);
  const { body, footer, odd } = templateText(text);
  const code = codeIn(body) ?? '';
  const { copied, copy } = useCopy(code);
  return (
    <div className={classes.bubble}>
      <CodeText text={body} />
      {footer && (
        <span className={classes.footer} dir="auto">
          {footer}
        </span>
      )}
      {odd && <span className={classes.odd}>{odd}</span>}
      <time className={classes.time} dateTime={received_at}>
        {shownTime(received_at, language)}
      </time>
      {code && (
        <button type="button" className={classes.copy} onClick={copy}>
          <Icon name={copied ? 'check' : 'copy'} size={17} />
          {copied ? say('copied', { code }) : say('copyCode')}
        </button>
      )}
    </div>
  );
}
