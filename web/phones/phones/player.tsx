// The sound of a call: play, pause, and how far it is. Small enough for a phone, which a browser's own player is not.

import { useEffect, useRef, useState } from 'react';
import { useWords } from '../../ui/languages.ts';
import { Icon } from '../icons.tsx';
import { clockOf } from './phones.ts';
import classes from './player.module.css';
import { soundOf } from './sound.ts';
import { phoneWords } from './words.ts';

export function Player({ wav, seconds }: { wav: string; seconds: number | null }) {
  const say = useWords(phoneWords);
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(seconds ?? 0);
  useEffect(() => {
    const element = audio.current;
    return () => element?.pause();
  }, []);
  const toggle = () => {
    const element = audio.current;
    if (!element) return;
    if (element.paused) element.play().catch(() => setPlaying(false));
    else element.pause();
  };
  return (
    <div className={classes.player}>
      <button type="button" className={classes.button} aria-label={say(isPlaying ? 'pause' : 'play')} onClick={toggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} size={16} />
      </button>
      <progress className={classes.bar} value={at} max={length || 1} aria-label={say('play')} />
      <span className={classes.time}>{clockOf(at > 0 ? at : length)}</span>
      {/* biome-ignore lint/a11y/useMediaCaption: what is spoken stands above as digits. */}
      <audio
        ref={audio}
        src={soundOf(wav)}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget: { duration } }) => Number.isFinite(duration) && setLength(duration)}
      />
    </div>
  );
}
