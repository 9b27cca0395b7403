// The image of the SS7 gateway, replayed without a container: the files of its stages in folders of their own, the Maven of the first, and then the
// gateway as the CMD of the last starts it. What apt-get installs there is what this machine has.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { gatewayFolder, joinedSettings } from '../../scripts/ss7/gateway.ts';
import { testFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { copiedSources, isInContext, lastStage, privateCopy, replay, stage, unreadable } from '../support/image.ts';
import { startProcess } from '../support/process.ts';
import { password, ss7Test as test } from './support/programs.ts';

const read = (name: string) => readFileSync(join(gatewayFolder, name), 'utf8');
const dockerfile = read('Dockerfile');
const folder = testFolder('ss7-image');

test('every source of a COPY is there, and is not left out of the context', () => {
  const sources = copiedSources(dockerfile);
  expect(sources).toContain('pom.xml');
  expect(sources.filter((path) => !globSync(path, { cwd: gatewayFolder }).length)).toEqual([]);
  expect(sources.filter((path) => !isInContext(path, read('.dockerignore')))).toEqual([]);
});

test('what is copied is enough to build it, and what is built is enough to run it', async () => {
  const [context, build, image] = ['context', 'build', 'image'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  // As a checkout under umask 077 has them: the image has a user of its own.
  privateCopy(gatewayFolder, copiedSources(dockerfile), context);
  replay(stage(dockerfile, 'build'), { context, to: build, isRun: (command) => !command.startsWith('apt-get ') });
  const last = lastStage(dockerfile);
  replay(last, { context, to: image, stages: { build }, isRun: () => false });
  expect(readdirSync(image).toSorted()).toEqual(['LICENSE', 'classes', 'lib']);
  expect(unreadable(image)).toEqual([]);

  const [local, remote] = await Promise.all([freePort(), freePort()]);
  const link = { gateway: { local, remote }, network: { local: remote, remote: local } };
  const settings = join(folder, 'ss7.json');
  writeFileSync(settings, JSON.stringify(joinedSettings({ smppPort: 0, password, links: [link] }).gateway));
  const [program = '', ...words]: string[] = JSON.parse(/^CMD (.+)$/m.exec(last)?.[1] ?? '[]');
  expect(words.at(-1)).toBe('/etc/ramz/ss7.json');
  const gateway = startProcess(program, {
    args: [`-Djava.io.tmpdir=${folder}`, ...words.slice(0, -1), settings],
    cwd: image,
  });
  const [, http] = await gateway.waitFor(/ready smpp=\d+ http=(\d+)/, 60_000);
  // There is no network.
  expect((await fetch(`http://127.0.0.1:${http}/healthz`)).status).toBe(503);
  expect((await gateway.end('SIGTERM')).code).toBe(143);
}, 600_000);
