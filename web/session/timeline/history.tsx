// The same as the picture, in words: every mark in its order, as a table. For a screen reader, for copying, and to look at closely.

import { Table } from '@mantine/core';
import { useContext } from 'react';
import type { Mark, Story } from '../../../src/story/story.ts';
import { LanguageContext } from '../../ui/languages.ts';
import { span } from '../format.ts';
import type { Description } from './describe.ts';
import styles from './picture.module.css';
import { type PictureWord, pictureWord, wordOr } from './words.ts';

export function History({ story, about }: { story: Story; about(mark: Mark): Description }) {
  const { language } = useContext(LanguageContext);
  const say = (key: PictureWord, values = {}) => pictureWord(language, key, values);
  const rows = [
    ...story.marks.map((mark) => ({ mark, where: say('session') })),
    ...story.lanes.flatMap(({ channel, operator, run, marks }) => {
      const name = [wordOr(language, channel, channel), operator].filter(Boolean).join(' · ');
      return marks.map((mark) => ({ mark, where: run > 1 ? `${name} · ${say('run', { run })}` : name }));
    }),
  ].sort((a, b) => a.mark.atMs - b.mark.atMs);
  return (
    <details className={styles.history}>
      <summary>{say('history', { count: rows.length })}</summary>
      <Table.ScrollContainer minWidth={260} type="native">
        <Table verticalSpacing={4} horizontalSpacing="xs" fz="xs" striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{say('time')}</Table.Th>
              <Table.Th scope="col">{say('where')}</Table.Th>
              <Table.Th scope="col">{say('what')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ mark, where }, index) => {
              const { title, lines } = about(mark);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
                <Table.Tr key={index} data-tone={mark.tone}>
                  <Table.Td className={styles.number}>+{span(mark.atMs - story.startMs, language)}</Table.Td>
                  <Table.Td>{where}</Table.Td>
                  <Table.Td>
                    <strong>{title}</strong>
                    {lines.slice(1).map((line) => (
                      <div key={line}>
                        <bdi>{line}</bdi>
                      </div>
                    ))}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
