// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import java.util.HashMap;
import java.util.Map;
import org.apache.log4j.Appender;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.spi.LoggingEvent;

/**
 * What the libraries log as errors: how many each logger had and the class of the last, at most one line a minute for each. Their texts are left out: they
 * hold addresses, and some hold the messages themselves. A peer that sends rubbish fills no disk.
 */
final class LibraryErrors extends AppenderSkeleton {
  private static final long pauseMs = 60_000;

  private static final class Count {
    int unsaid;
    long nextAt;
  }

  private final Appender log;
  private final Map<String, Count> counts = new HashMap<>();

  LibraryErrors(Appender log) {
    this.log = log;
  }

  /** Called by one thread at a time, as all appenders are. */
  @Override
  protected void append(LoggingEvent event) {
    var count = counts.computeIfAbsent(event.getLoggerName(), name -> new Count());
    count.unsaid += 1;
    if (event.getTimeStamp() < count.nextAt) return;
    var thrown = event.getThrowableInformation();
    String what = thrown == null ? "no exception" : nameOf(thrown.getThrowable());
    String text = "%d errors, the last with %s".formatted(count.unsaid, what);
    log.doAppend(
        new LoggingEvent(event.getFQNOfLoggerClass(), event.getLogger(), event.getTimeStamp(), event.getLevel(), text, null));
    count.unsaid = 0;
    count.nextAt = event.getTimeStamp() + pauseMs;
  }

  /** A class that is not there is named: that is no text of a peer's. */
  private static String nameOf(Throwable thrown) {
    return thrown instanceof LinkageError ? thrown.toString() : thrown.getClass().getName();
  }

  @Override
  public void close() {}

  @Override
  public boolean requiresLayout() {
    return false;
  }
}
