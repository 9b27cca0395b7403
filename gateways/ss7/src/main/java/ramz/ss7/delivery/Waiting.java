// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ramz.ss7.sms.Submission;

/** Messages for phones that are away or full, until the HLR says that they are back or their validity ends. */
final class Waiting {
  private static final int most = 10_000;

  /** @param outcome of the last try */
  record Entry(Submission submission, Outcome outcome) {}

  private final Map<String, List<Entry>> byNumber = new HashMap<>();
  private int count;

  /** Without room for it the outcome of its last try is its end. */
  synchronized void add(Entry entry) {
    if (count >= most) return;
    byNumber.computeIfAbsent(entry.submission().to(), number -> new ArrayList<>()).add(entry);
    count += 1;
  }

  /** Those of the number; they do not wait any more. */
  synchronized List<Entry> take(String number) {
    List<Entry> found = byNumber.remove(number);
    if (found == null) return List.of();
    count -= found.size();
    return found;
  }

  /** Those whose validity is over; they do not wait any more. */
  synchronized List<Entry> takeExpired(Instant now) {
    var expired = new ArrayList<Entry>();
    for (var numbers = byNumber.values().iterator(); numbers.hasNext(); ) {
      List<Entry> each = numbers.next();
      each.removeIf(entry -> !entry.submission().isValidAt(now) && expired.add(entry));
      if (each.isEmpty()) numbers.remove();
    }
    count -= expired.size();
    return expired;
  }

  synchronized int size() {
    return count;
  }
}
