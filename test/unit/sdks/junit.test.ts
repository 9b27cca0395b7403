import { expect, test } from 'vitest';
import { readJunit } from '../../sdks/junit.ts';

test('cases that passed, failed, broke and were skipped, as pytest, PHPUnit and others write them', () => {
  const xml = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="5">
    <testcase classname="tests.a" name="one" time="0.1" /><testcase classname="tests.a" name="two"><system-out>x</system-out></testcase>
    <testcase name="three"><failure message="no">assert 1 &lt; 0</failure></testcase>
    <testcase name="four"><error>boom</error></testcase>
    <testcase classname="tests.b" name="a &gt; b"><skipped type="pytest.skip" message="no &quot;go&quot; here">x</skipped></testcase>
    </testsuite></testsuites>\n`;
  expect(readJunit(xml)).toEqual({
    passed: 2,
    failed: [
      { name: 'three', reason: 'no' },
      { name: 'four', reason: 'boom' },
    ],
    skipped: [{ name: 'tests.b > a > b', reason: 'no "go" here' }],
  });
});

test.each([
  ['', 'an empty file'],
  ['<testsuites></testsuites>', 'no case'],
  ['<testsuites><testcase name="a"/>', 'cut off'],
])('%j counts as a failure: %s', (xml) => {
  expect(readJunit(xml).failed).toHaveLength(1);
});
