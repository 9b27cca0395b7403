// A send that failed, said so that the reader knows what to do: in words, with the code that a program would see.

import { Alert, Code } from '@mantine/core';
import { useWords } from '../../ui/languages.ts';
import { isProblemWord, problemWords } from './problem-words.ts';
import type { Problem } from './sending.ts';

/** The sentence of a problem, in the language of the page where there is one. */
export function useProblemText(): (problem: Problem) => string {
  const say = useWords(problemWords);
  return ({ code, message }) => (isProblemWord(code) ? say(code) : message);
}

export function ProblemAlert({ problem }: { problem: Problem }) {
  const textOf = useProblemText();
  return (
    <Alert color="red" variant="light" p="xs" role="alert">
      {textOf(problem)} <Code>{problem.code}</Code>
    </Alert>
  );
}
