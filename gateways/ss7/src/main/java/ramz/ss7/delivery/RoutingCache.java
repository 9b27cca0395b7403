// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import ramz.ss7.network.Answer.Routed;

/** Where subscribers were a moment ago. A message of several parts, or one that is sent again, asks the HLR once. */
final class RoutingCache {
  private static final int mostEntries = 10_000;

  private record Entry(Routed place, long until) {}

  private final Clock clock;
  private final long keptMs;
  private final Map<String, Entry> entries =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
          return size() > mostEntries;
        }
      };

  RoutingCache(Clock clock, int keptSeconds) {
    this.clock = clock;
    keptMs = keptSeconds * 1000L;
  }

  /** Null where nothing is known. */
  synchronized Routed find(String number) {
    Entry entry = entries.get(number);
    if (entry == null) return null;
    if (entry.until > clock.millis()) return entry.place;
    entries.remove(number);
    return null;
  }

  synchronized void keep(String number, Routed place) {
    entries.remove(number);
    if (keptMs > 0) entries.put(number, new Entry(place, clock.millis() + keptMs));
  }

  synchronized void forget(String number) {
    entries.remove(number);
  }

  /** Of a number that nobody asks for again, too: nothing is known of it any longer. */
  synchronized void forgetExpired() {
    long now = clock.millis();
    entries.values().removeIf(entry -> entry.until <= now);
  }

  synchronized int size() {
    return entries.size();
  }
}
