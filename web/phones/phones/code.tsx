// A message's text, in which the code is a button: tap or Enter copies it, and a voice says so.

import { Fragment, useState } from 'react';
import { useWords } from '../../ui/languages.ts';
import { usePage } from '../page-state.tsx';
import classes from './code.module.css';
import { pieces } from './codes.ts';
import { phoneWords } from './words.ts';

const copiedMs = 1_600;

/** Copies, announces, and says for a moment that it has. */
export function useCopy(code: string): { copied: boolean; copy(): void } {
  const { announce } = usePage();
  const say = useWords(phoneWords);
  const [copied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(code).then(
      () => {
        announce(say('copied', { code }));
        setCopied(true);
        setTimeout(() => setCopied(false), copiedMs);
      },
      // Without permission the code can still be selected.
      () => {},
    );
  };
  return { copied, copy };
}

function Code({ code }: { code: string }) {
  const say = useWords(phoneWords);
  const { copied, copy } = useCopy(code);
  return (
    <button
      type="button"
      className={classes.code}
      data-copied={copied || undefined}
      aria-label={say('copy', { code })}
      onClick={copy}
    >
      <bdi>{code}</bdi>
    </button>
  );
}

export function CodeText({ text }: { text: string }) {
  return (
    <span dir="auto" className={classes.text}>
      {pieces(text).map(({ kind, text: piece, at }) =>
        kind === 'code' ? <Code key={at} code={piece} /> : <Fragment key={at}>{piece}</Fragment>,
      )}
    </span>
  );
}
