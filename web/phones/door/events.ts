// The events of the sandbox's own door (`GET /sandbox/events`), as the page takes them. Their data is declared where it is sent.

import type { Hello, SandboxEvents } from '../../../src/sandbox/views.ts';

export type {
  Hello,
  InboxMessage,
  Mood,
  MoodWord as MoodName,
  Operator,
  PhoneCall,
  ReceivedWebhook,
} from '../../../src/sandbox/views.ts';

type DoorEvents = SandboxEvents & { hello: Hello };

export type DoorEvent = { [Name in keyof DoorEvents]: { name: Name; data: DoorEvents[Name] } }[keyof DoorEvents];

const names: Record<keyof DoorEvents, true> = {
  hello: true,
  message: true,
  webhook: true,
  call: true,
  moods: true,
  service: true,
  people: true,
  cleared: true,
};

export const doorEventNames = Object.keys(names) as (keyof DoorEvents)[];
