// The story, over HTTP.
import { test } from 'node:test';
import { Ramz } from '@ramz/sdk';
import { story, testMode } from './live.mjs';

test('the story over HTTP', () => story(new Ramz(), `node-${process.versions.node}`));
test('test mode', testMode);
