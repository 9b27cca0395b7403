// The marks of generated files: .gitattributes marks all of them and no hand-written file, so that a review folds what a program
// wrote and nothing else. Both are told apart by their path alone.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/contract.ts';

const HEAD_LINES = 20;

/** What generators write at the top of a file: ours, protobuf's and gRPC's. */
const notice = /^(?:\/\/|#|<!--) (?:.*\bgenerated\b.*\bdo not edit\b|@generated\b)/im;
const generatedPath = /(?:^|\/)(?:gen|_?generated)\/|_pb2(?:_grpc)?\.pyi?$/;
/** JSON has no comments; grpcio-tools writes none into its types, the drawer of the flame graph none into its picture. */
const cannotSay = /\.json$|_pb2\.pyi$|\.svg$/;

const git = (args: string[], input = ''): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', input, maxBuffer: 2 ** 26 })
    .split('\0')
    .slice(0, -1);

/** Tracked files and new ones; one that is deleted but still in the index is left out. */
const files = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard']).filter((path) =>
  existsSync(join(root, path)),
);
/** Three entries a file: path, attribute, value. */
const answers = git(['check-attr', '-z', '--stdin', 'linguist-generated'], files.map((path) => `${path}\0`).join(''));
const marked = new Set(answers.filter((_, index) => index % 3 === 0 && answers[index + 2] === 'true'));

const saysSo = (path: string): boolean =>
  notice.test(readFileSync(join(root, path), 'utf8').split('\n', HEAD_LINES).join('\n'));

test('what says that it is generated, or has the path of a generated file, is marked', () => {
  const generated = files.filter((path) => generatedPath.test(path) || saysSo(path));
  expect(generated.length).toBeGreaterThan(100);
  expect(generated.filter((path) => !marked.has(path))).toEqual([]);
});

test('what is marked says that it is generated, where it can carry a comment', () => {
  const silent = files.filter((path) => marked.has(path) && !cannotSay.test(path) && !saysSo(path));
  expect(silent).toEqual([]);
});

test('every pattern that marks has files', () => {
  const lines = readFileSync(join(root, '.gitattributes'), 'utf8').split('\n');
  const patterns = lines.flatMap((line) => /^(\S+) linguist-generated=true$/.exec(line)?.[1] ?? []);
  expect(patterns.length).toBeGreaterThan(5);
  expect(patterns.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)))).toEqual([]);
});
