// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jsmpp.extra.NegativeResponseException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.sms.Submission;

/** Receipts before clients that take them, refuse them and go. */
final class ReceiptsTest {
  private static final Instant now = Instant.parse("2026-06-15T12:00:00Z");
  private static final int temporary = 0x64;
  private static final int permanent = 0x65;

  private final ExecutorService workers = Executors.newCachedThreadPool();
  private final BlockingQueue<String> happened = new LinkedBlockingQueue<>();
  private volatile Receipts.Receiver client = receipt -> true;
  private final Receipts receipts =
      new Receipts(() -> List.of(this::deliver), workers, Clock.fixed(now, ZoneOffset.UTC), reason -> happened.add("dropped: " + reason));

  private boolean deliver(Receipt receipt) throws Exception {
    happened.add(receipt.of().id());
    return client.deliver(receipt);
  }

  @AfterEach
  void stop() {
    workers.shutdownNow();
  }

  private static Receipt receipt(String id, Duration age) {
    var submission = new Submission(id, "Ramz", true, "213551234500", 0, false, new byte[0], false, now, now, true);
    return new Receipt(submission, new Outcome("DELIVRD", "000", "delivered", Next.OVER, null), now.minus(age));
  }

  private void expect(String... events) throws InterruptedException {
    for (String event : events) assertEquals(event, happened.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void oneThatIsRefusedForNowComesAgain() throws Exception {
    client = receipt -> {
      client = later -> true;
      throw new NegativeResponseException(temporary);
    };
    receipts.send(receipt("a", Duration.ZERO));
    expect("a", "a");
  }

  @ParameterizedTest
  @CsvSource({permanent + ", 0, dropped: refused", temporary + ", 25, dropped: too_old"})
  void oneThatIsRefusedForGoodOrForADayIsDropped(int status, int ageHours, String end) throws Exception {
    client = receipt -> {
      throw new NegativeResponseException(status);
    };
    receipts.send(receipt("a", Duration.ofHours(ageHours)));
    expect("a", end);
    assertEquals(0, receipts.size());
    assertTrue(happened.isEmpty());
  }
}
