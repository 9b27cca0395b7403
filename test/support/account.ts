// An account as most tests want it: nothing of its own is settled.
import { noLists } from '../../src/core/limits/lists.ts';
import type { AccountView } from '../../src/engine/accounts/views.ts';

export const plainAccount: AccountView = {
  id: '',
  language: 'ar',
  cascade: null,
  sendsPerSecond: null,
  sendsPerNumberPerHour: null,
  sendsPerNumberPerDay: null,
  unlimitedNumbers: false,
  allowedPrefixes: [],
  lists: noLists,
  ruleModes: {},
  clientLimits: { ip: {}, device: {}, userAgent: {} },
  budget: {},
  suspended: false,
  stops: [],
  defaultSenderId: null,
  inCountryOnly: false,
  approvedSenders: new Map(),
  autofill: new Map(),
  wording: { brand: null, texts: new Map() },
  endpoints: [],
};
