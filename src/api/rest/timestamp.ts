// Times as the JSON of protobuf wants them: RFC 3339, years 1 to 9999.

const form = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Whether it is a time that exists: `2026-02-30` is not. */
export function isRfc3339(text: string): boolean {
  const [, year, month, day, hour, minute, second] = (form.exec(text) ?? []).map(Number);
  if (!year || !month || !day) return false;
  if ((hour ?? 24) > 23 || (minute ?? 60) > 59 || (second ?? 60) > 59) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && !Number.isNaN(Date.parse(text));
}
