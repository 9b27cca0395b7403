// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.Test;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.sms.Submission;

/** Receipts before clients that take them, refuse them and go, by a clock that stands still until it is set. */
final class ReceiptsTest {
  private static final Instant now = Instant.parse("2026-06-15T12:00:00Z");
  private static final int temporary = 0x64;
  private static final int permanent = 0x65;

  private LongSupplier clockMs = () -> 0;
  /** What the workers are to do. */
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final ExecutorService workers = (ExecutorService) Proxy.newProxyInstance(
      getClass().getClassLoader(),
      new Class<?>[] {ExecutorService.class},
      (self, method, arguments) -> method.getName().equals("execute") ? tasks.add((Runnable) arguments[0]) : false);
  private final List<String> happened = new ArrayList<>();
  private Receipts.Receiver client = receipt -> true;
  private List<Receipts.Receiver> receivers = List.of(this::deliver);
  private final Receipts receipts =
      new Receipts(() -> receivers, workers, () -> clockMs.getAsLong(), reason -> happened.add("dropped: " + reason));

  private boolean deliver(Receipt receipt) throws Exception {
    happened.add(receipt.of().id());
    return client.deliver(receipt);
  }

  private static Receipts.Receiver refusing(int status, String... ids) {
    return receipt -> {
      if (Set.of(ids).contains(receipt.of().id())) throw new NegativeResponseException(status);
      return true;
    };
  }

  private static Receipt receipt(String id) {
    var submission = new Submission(id, "Ramz", true, "213551234500", 0, false, new byte[0], false, now, now, true);
    return new Receipt(submission, new Outcome("DELIVRD", "000", "delivered", Next.OVER, null), now);
  }

  private void send(String... ids) {
    for (String id : ids) receipts.send(receipt(id));
    work();
  }

  private void sendAll() {
    receipts.sendAll();
    work();
  }

  private void work() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) task.run();
  }

  private void expect(String... events) {
    assertEquals(List.of(events), happened);
    happened.clear();
  }

  @Test
  void oneThatIsRefusedForNowComesAgain() throws Exception {
    clockMs = () -> System.nanoTime() / 1_000_000;
    client = refusing(temporary, "a");
    send("a");
    expect("a");
    client = receipt -> true;
    while (happened.isEmpty()) tasks.poll(60, TimeUnit.SECONDS).run();
    expect("a");
    assertEquals(0, receipts.size());
  }

  @Test
  void oneThatIsRefusedForGoodIsDropped() {
    client = refusing(permanent, "a");
    send("a");
    expect("a", "dropped: refused");
    assertEquals(0, receipts.size());
  }

  @Test
  void oneIsDroppedADayAfterItsFirstRefusal() {
    clockMs = Duration.ofDays(3)::toMillis;
    client = refusing(temporary, "a");
    send("a");
    clockMs = Duration.ofHours(95)::toMillis;
    sendAll();
    expect("a", "a");
    clockMs = Duration.ofDays(4)::toMillis;
    sendAll();
    expect("a", "dropped: too_old");
    assertEquals(0, receipts.size());
  }

  @Test
  void allGoOutAtOnceWhereTheClientMayTakeThemAgain() {
    client = refusing(temporary, "a", "b", "c");
    send("a", "b", "c");
    expect("a", "b", "c");
    client = receipt -> true;
    sendAll();
    expect("a", "b", "c");
  }

  @Test
  void oneThatIsTakenEndsThePausesOfOthers() {
    client = refusing(temporary, "a", "b", "c", "d", "e");
    send("a", "b", "c", "d", "e");
    happened.clear();
    client = receipt -> true;
    send("f");
    expect("f", "a", "b", "c", "d", "e");
  }

  @Test
  void oneThatIsTakenEndsNoMoreThanTwoPausesOfThoseThatAreRefusedAgain() {
    client = refusing(temporary, "a", "b", "c", "d", "e");
    send("a", "b", "c", "d", "e");
    happened.clear();
    send("f");
    expect("f", "a", "b");
  }

  @Test
  void ofTooManyTheOldestIsDropped() {
    client = sent -> {
      for (int n = 0; n < Receipts.most; n += 1) receipts.send(receipt(String.valueOf(n)));
      receivers = List.of();
      throw new NegativeResponseException(temporary);
    };
    send("a");
    // Not the one that was being sent.
    expect("a", "dropped: too_many");
    assertEquals(Receipts.most, receipts.size());
    // It is in a pause now.
    send("last");
    expect("dropped: too_many");
    assertEquals(Receipts.most, receipts.size());
    client = receipt -> true;
    receivers = List.of(this::deliver);
    sendAll();
    assertEquals(Receipts.most, happened.size());
    assertEquals(List.of("1", "last"), List.of(happened.get(0), happened.get(Receipts.most - 1)));
    assertEquals(0, receipts.size());
  }

  @Test
  void eachBindCarriesSome() {
    var carriers = new ArrayList<String>();
    receivers = List.of(receipt -> carriers.add("first"), receipt -> carriers.add("second"));
    send("a", "b");
    assertEquals(Set.of("first", "second"), Set.copyOf(carriers));
  }

  @Test
  void onlyTheFirstRefusalOfOneIsLogged() {
    var lines = new ArrayList<String>();
    var appender =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            lines.add(event.getRenderedMessage());
          }

          @Override
          public void close() {}

          @Override
          public boolean requiresLayout() {
            return false;
          }
        };
    var log = Logger.getLogger(Receipts.class);
    log.addAppender(appender);
    try {
      client = refusing(temporary, "a");
      send("a");
      sendAll();
    } finally {
      log.removeAppender(appender);
    }
    expect("a", "a");
    assertEquals(List.of("receipt of a refused: command_status 0x64"), lines);
  }
}
