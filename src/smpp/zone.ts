// Local clock readings and UTC, by IANA time zone. All times are Unix milliseconds; a "local" one is what the clock on
// the wall shows, counted as if it were UTC.

/** No zone has ever changed its offset inside a quarter of an hour, so one answer holds for all of it. */
const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;
const MAX_CACHED = 1_000;

interface Zone {
  format: Intl.DateTimeFormat;
  offsets: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** Local minus UTC, in ms. @throws RangeError for a name that is no IANA zone. */
export function zoneOffsetMs(timeZone: string, at: number): number {
  const zone = zoneOf(timeZone);
  const quarter = Math.floor(at / QUARTER_HOUR_MS);
  const known = zone.offsets.get(quarter);
  if (known !== undefined) return known;
  if (zone.offsets.size >= MAX_CACHED) zone.offsets.clear();
  const offset = askIntl(zone.format, quarter * QUARTER_HOUR_MS);
  zone.offsets.set(quarter, offset);
  return offset;
}

/**
 * The moment a local clock showed this. In the hour that comes twice in autumn, the moment nearer to `near`; in the hour
 * that is left out in spring, what the clock would have shown had nobody turned it.
 */
export function localToUtc(localAt: number, timeZone: string, near: number): number {
  const before = localAt - zoneOffsetMs(timeZone, localAt - DAY_MS);
  const after = localAt - zoneOffsetMs(timeZone, localAt + DAY_MS);
  if (before === after) return before; // nobody turned the clock around then
  const real = [before, after].filter((at) => at + zoneOffsetMs(timeZone, at) === localAt);
  return nearest(real, near) ?? before;
}

function nearest(candidates: readonly number[], near: number): number | undefined {
  return candidates.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    zone = { format, offsets: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

/** `longOffset` is "GMT", "GMT+01:00", or with seconds for dates long gone. */
function askIntl(format: Intl.DateTimeFormat, at: number): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at));
  const [, sign, hours = '0', minutes = '0'] = match ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -offset : offset;
}
