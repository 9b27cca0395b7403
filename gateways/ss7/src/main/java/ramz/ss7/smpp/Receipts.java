// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jsmpp.GenericNackResponseException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receipts on their way to the client, a few at once for each bind that takes them. Of more than {@value #most} the oldest is dropped, but for those that
 * are sent and not answered yet.
 *
 * <p>One that is refused for now, or not answered over any bind, goes out again after a pause that grows, for a day. A pause ends early where the client
 * may have changed its mind: all of them with a new bind, two with each receipt that it takes. One that is refused for good is dropped.
 */
final class Receipts {
  static final int most = 100_000;
  private static final int atOncePerBind = 4;
  /**
   * More than one, so that all go out soon once the client takes them. Not all at once: of a client that refuses some in any case, each of those would go out
   * again with every receipt that it takes.
   */
  private static final int pausesEndedByEach = 2;
  private static final long firstPauseMs = 1_000;
  private static final long longestPauseMs = 60_000;
  private static final long longestMs = Duration.ofDays(1).toMillis();
  private static final Logger log = LoggerFactory.getLogger(Receipts.class);

  /** A bind that takes receipts. */
  interface Receiver {
    /** Sends deliver_sm and waits for its answer. False: it ends, and nothing was sent. */
    boolean deliver(Receipt receipt) throws Exception;
  }

  private enum Result {
    TAKEN,
    AGAIN_LATER,
    NEVER
  }

  /**
   * @param number in the order in which they came
   * @param failures how often it was sent in vain
   * @param failedAt when it first was
   */
  private record Entry(Receipt receipt, long number, long dueAt, int failures, long failedAt) {
    Entry withDueAt(long ms) {
      return new Entry(receipt, number, ms, failures, failedAt);
    }
  }

  private final Supplier<? extends List<? extends Receiver>> receivers;
  private final ExecutorService workers;
  private final LongSupplier clockMs;
  private final Consumer<String> onDropped;
  /** Those that are due or in a pause; the same in both. */
  private final TreeSet<Entry> byAge = new TreeSet<>(Comparator.comparingLong(Entry::number));
  private final TreeSet<Entry> byTime = new TreeSet<>(Comparator.comparingLong(Entry::dueAt).thenComparingLong(Entry::number));
  private long count;
  private int running;
  /** Sent and not answered yet. */
  private int outstanding;

  /**
   * @param clockMs a clock that nobody sets
   * @param onDropped hears why a receipt will never be acknowledged: {@code refused}, {@code too_old}, {@code too_many}
   */
  Receipts(
      Supplier<? extends List<? extends Receiver>> receivers, ExecutorService workers, LongSupplier clockMs, Consumer<String> onDropped) {
    this.receivers = receivers;
    this.workers = workers;
    this.clockMs = clockMs;
    this.onDropped = onDropped;
  }

  synchronized int size() {
    return byAge.size() + outstanding;
  }

  synchronized void send(Receipt receipt) {
    if (size() >= most) {
      remove(byAge.first());
      onDropped.accept("too_many");
    }
    add(new Entry(receipt, count++, clockMs.getAsLong(), 0, 0));
    wake();
  }

  /** All of them go out, also those in a pause. */
  synchronized void sendAll() {
    endPauses(byAge.size());
    wake();
  }

  /** One worker more, where one is due and there is room. It wakes the next. */
  private synchronized void wake() {
    // Those that run may be waiting for an answer, of a bind that is gone too.
    if (!isDue() || running >= receivers.get().size() * atOncePerBind) return;
    running += 1;
    workers.execute(this::work);
  }

  private boolean isDue() {
    return !byTime.isEmpty() && byTime.first().dueAt <= clockMs.getAsLong();
  }

  private void add(Entry entry) {
    byAge.add(entry);
    byTime.add(entry);
  }

  private void remove(Entry entry) {
    byAge.remove(entry);
    byTime.remove(entry);
  }

  /** Ends those that would end first. */
  private void endPauses(int atMost) {
    long now = clockMs.getAsLong();
    var lastDue = new Entry(null, Long.MAX_VALUE, now, 0, 0);
    for (int n = 0; n < atMost; n += 1) {
      Entry entry = byTime.higher(lastDue);
      if (entry == null) return;
      remove(entry);
      add(entry.withDueAt(now));
    }
  }

  private void work() {
    for (Entry entry = next(); entry != null; entry = next()) {
      switch (deliver(entry)) {
        case TAKEN -> taken();
        case NEVER -> drop("refused");
        case AGAIN_LATER -> later(entry);
      }
    }
  }

  private synchronized Entry next() {
    if (!isDue() || receivers.get().isEmpty()) {
      running -= 1;
      return null;
    }
    Entry entry = byTime.first();
    remove(entry);
    outstanding += 1;
    wake();
    return entry;
  }

  private synchronized void taken() {
    outstanding -= 1;
    endPauses(pausesEndedByEach);
  }

  private synchronized void drop(String reason) {
    outstanding -= 1;
    onDropped.accept(reason);
  }

  /** It waits by itself: those behind it go out in the meantime. */
  private synchronized void later(Entry entry) {
    long now = clockMs.getAsLong();
    long failedAt = entry.failures == 0 ? now : entry.failedAt;
    if (now - failedAt >= longestMs) {
      drop("too_old");
      return;
    }
    long pauseMs = Math.min(firstPauseMs << Math.min(entry.failures, 6), longestPauseMs);
    outstanding -= 1;
    add(new Entry(entry.receipt, entry.number, now + pauseMs, entry.failures + 1, failedAt));
    if (!workers.isShutdown()) CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS, workers).execute(this::wake);
  }

  private Result deliver(Entry entry) {
    List<? extends Receiver> all = receivers.get();
    for (int n = 0; n < all.size(); n += 1) {
      // Each receipt begins with another bind, so that all of them carry some.
      Receiver each = all.get((int) ((entry.number + n) % all.size()));
      try {
        if (each.deliver(entry.receipt)) return Result.TAKEN;
      } catch (NegativeResponseException refused) {
        return refused(entry, refused.getCommandStatus());
      } catch (GenericNackResponseException refused) {
        return refused(entry, refused.getCommandStatus());
      } catch (Exception error) {
        if (entry.failures == 0) log.warn("receipt of {} not acknowledged: {}", entry.receipt.of().id(), error.getMessage());
      }
    }
    return Result.AGAIN_LATER;
  }

  /** What a client says over one bind it would say over the others, too. Statuses: SMPP v3.4 5.1.3. */
  private static Result refused(Entry entry, int status) {
    Result result =
        switch (status) {
          case SMPPConstant.STAT_ESME_RX_P_APPN, SMPPConstant.STAT_ESME_RX_R_APPN, SMPPConstant.STAT_ESME_RINVCMDID -> Result.NEVER;
          default -> Result.AGAIN_LATER;
        };
    if (entry.failures == 0 || result == Result.NEVER)
      log.warn("receipt of {} refused: command_status 0x{}", entry.receipt.of().id(), Integer.toHexString(status));
    return result;
  }
}
