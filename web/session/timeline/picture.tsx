// The story of a session as a picture: its own line on top, then a lane for each leg, and between two of them the reason why the cascade
// went on. Everything is placed by logical properties, so that the picture runs from right to left where the language does.

import { VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { memo, type ReactNode, useCallback, useContext, useMemo } from 'react';
import { type Lane, type Mark, type Story, storyOf } from '../../../src/story/story.ts';
import { LanguageContext } from '../../ui/languages.ts';
import { useNow } from '../../ui/now.ts';
import { span } from '../format.ts';
import { channelIcon, Icon, type IconName } from '../icons.tsx';
import { useReason } from '../reason-words.ts';
import type { SessionJson } from '../types.ts';
import { axisOf } from './axis.ts';
import { describe } from './describe.ts';
import { History } from './history.tsx';
import { barEnd, type Drawing, StripView } from './lane.tsx';
import styles from './picture.module.css';
import { pictureWord, wordOr } from './words.ts';

export function Picture({ session }: { session: SessionJson }) {
  const { language } = useContext(LanguageContext);
  const reason = useReason(language);
  const { ref, width } = useElementSize();
  const known = useMemo(() => storyOf(session, Date.now()), [session]);
  const nowMs = useNow(known.isMoving);
  // Of a story that moves the end alone does, many times a second: what does not depend on it is not made anew.
  const story = known.isMoving ? { ...known, endMs: Math.max(known.endMs, nowMs) } : known;
  const axis = axisOf(story, Math.max(width, 120));
  const { startMs } = known;
  const about = useCallback((mark: Mark) => describe(mark, { startMs, language, reason }), [startMs, language, reason]);
  const drawing: Drawing = { axis, language, about };
  const runs = [...new Set(story.lanes.map(({ run }) => run))];
  return (
    <div className={styles.picture}>
      <section className={styles.grid} aria-label={pictureWord(language, 'timeline')}>
        <span className={styles.corner} />
        <div ref={ref} className={styles.axis} aria-hidden="true">
          {axis.ticks.map(({ px, ms, side }) => (
            <span key={ms} className={styles.tick} data-side={side} style={{ insetInlineStart: px }}>
              {side !== null && (ms === 0 ? '0' : span(ms, language))}
            </span>
          ))}
        </div>
        <Grid story={story} drawing={drawing} />
        <Heading icon="lock" name={pictureWord(language, 'session')} />
        <StripView
          drawing={drawing}
          strip={{
            marks: story.marks,
            startMs,
            endMs: story.endMs,
            outcome: lives[session.status] ?? 'stopped',
            windowMs: null,
          }}
        />
        {runs.map((run) => (
          <Run key={run} run={run} isOnly={runs.length === 1} story={story} drawing={drawing} nowMs={nowMs} />
        ))}
        {story.ahead.map((leg, index) => (
          <Ahead key={leg.channel} leg={leg} isNext={index === 0} />
        ))}
      </section>
      <StillHistory story={known} about={about} />
    </div>
  );
}

const StillHistory = memo(History);

/** How the session's own line looks, in the outcomes of lanes. */
const lives: Readonly<Record<string, string>> = {
  pending: 'open',
  verified: 'delivered',
  expired: 'timed_out',
  failed: 'failed',
};

interface HeadingProps {
  icon: IconName;
  name: string;
  under?: string;
  /** How it stands, which the colour of the bar says to those who see it. */
  state?: string;
}

function Heading({ icon, name, under = '', state = '' }: HeadingProps) {
  return (
    <div className={styles.heading}>
      <Icon name={icon} />
      <span className={styles.names}>
        <span className={styles.name}>{name}</span>
        {under && <span className={styles.under}>{under}</span>}
        {state && <VisuallyHidden>{state}</VisuallyHidden>}
      </span>
    </div>
  );
}

interface Drawn {
  story: Story;
  drawing: Drawing;
}

/** Vertical lines at the ticks, the places where time was cut out, and now. */
function Grid({ story, drawing }: Drawn) {
  const { axis, language } = drawing;
  return (
    <div className={styles.backdrop} aria-hidden="true">
      {axis.ticks.map(({ px, ms }) => (
        <span key={ms} className={styles.gridline} style={{ insetInlineStart: px }} />
      ))}
      {axis.breaks.map(({ px, widthPx, ms }) => (
        <span
          key={px}
          className={styles.cut}
          style={{ insetInlineStart: px, width: widthPx }}
          title={pictureWord(language, 'cut', { time: span(ms, language) })}
        >
          <span>{span(ms, language)}</span>
        </span>
      ))}
      {story.isMoving && <span className={styles.now} style={{ insetInlineStart: axis.at(story.endMs) }} />}
    </div>
  );
}

function Run({ run, isOnly, story, drawing, nowMs }: Drawn & { run: number; isOnly: boolean; nowMs: number }) {
  const { language } = drawing;
  return (
    <>
      {!isOnly && <div className={styles.run}>{pictureWord(language, 'run', { run })}</div>}
      {story.lanes
        .filter((lane) => lane.run === run)
        .map((lane) => (
          <LaneView key={lane.id} lane={lane} drawing={drawing} nowMs={nowMs} />
        ))}
    </>
  );
}

function LaneView({ lane, drawing, nowMs }: { lane: Lane; drawing: Drawing; nowMs: number }) {
  const { language } = drawing;
  const { channel, operator, outcome, endMs, timeoutAtMs, moved } = lane;
  const leftMs = endMs === null && timeoutAtMs !== null ? Math.max(0, timeoutAtMs - nowMs) : 0;
  const time = span(Math.ceil(leftMs / 1_000) * 1_000, language);
  const state = wordOr(language, `outcome_${outcome}`, wordOr(language, outcome, outcome));
  return (
    <>
      <Heading icon={channelIcon(channel)} name={wordOr(language, channel, channel)} under={operator} state={state} />
      <div className={styles.lane}>
        <StripView
          drawing={drawing}
          strip={{
            marks: lane.marks,
            startMs: lane.startMs,
            endMs: barEnd(lane, nowMs),
            // What came too late does not change what the leg was waited for in vain.
            outcome: lane.why.code === 'delivered_late' ? 'timed_out' : outcome,
            windowMs: leftMs > 0 ? timeoutAtMs : null,
            windowText: pictureWord(language, 'waits', { time }),
          }}
        />
      </div>
      {moved && <Moved moved={moved} drawing={drawing} />}
    </>
  );
}

/** The arrow to the next lane, at the time the cascade went on, with the reason beside it. */
function Moved({ moved, drawing }: { moved: NonNullable<Lane['moved']>; drawing: Drawing }) {
  const { axis, language } = drawing;
  const reason = useReason(language);
  const px = axis.at(moved.atMs);
  const isBefore = px > axis.widthPx / 2;
  const side = isBefore ? { paddingInlineEnd: axis.widthPx - px + 10 } : { paddingInlineStart: px + 10 };
  return (
    <>
      <span className={styles.corner} />
      <div className={styles.moved} data-side={isBefore ? 'before' : 'after'} style={side}>
        {moved.to !== null && <span className={styles.arrow} style={{ insetInlineStart: px }} />}
        <span className={styles.why}>{reason(moved.why)}</span>
      </div>
    </>
  );
}

function Ahead({ leg, isNext }: { leg: Story['ahead'][number]; isNext: boolean }): ReactNode {
  const { language } = useContext(LanguageContext);
  const { channel, timeoutMs } = leg;
  return (
    <>
      <div className={styles.ahead}>
        <Heading icon={channelIcon(channel)} name={wordOr(language, channel, channel)} />
      </div>
      <div className={styles.aheadStrip}>
        <span>{pictureWord(language, isNext ? 'next' : 'after')}</span>
        {timeoutMs !== null && <span>{span(timeoutMs, language)}</span>}
      </div>
    </>
  );
}
