// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ramz.ss7.sms.Submission;

/** Messages for phones that are away or full, until the HLR says that they are back or their validity ends. */
final class Waiting {
  private static final int most = 10_000;

  private final Clock clock;
  private final Map<String, List<Submission>> byNumber = new HashMap<>();
  private int count;

  Waiting(Clock clock) {
    this.clock = clock;
  }

  synchronized void add(Submission submission) {
    if (count >= most) dropExpired();
    if (count >= most || !submission.until().isAfter(clock.instant())) return;
    byNumber.computeIfAbsent(submission.to(), number -> new ArrayList<>()).add(submission);
    count += 1;
  }

  /** Those of the number that are still valid; they do not wait any more. */
  synchronized List<Submission> take(String number) {
    List<Submission> found = byNumber.remove(number);
    if (found == null) return List.of();
    count -= found.size();
    return found.stream().filter(each -> each.until().isAfter(clock.instant())).toList();
  }

  synchronized int size() {
    return count;
  }

  synchronized void dropExpired() {
    for (var numbers = byNumber.values().iterator(); numbers.hasNext(); ) {
      List<Submission> each = numbers.next();
      int before = each.size();
      each.removeIf(submission -> !submission.until().isAfter(clock.instant()));
      count -= before - each.size();
      if (each.isEmpty()) numbers.remove();
    }
  }
}
