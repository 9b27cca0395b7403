// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.delivery.Deliverer;
import ramz.ss7.network.Exchanges;
import ramz.ss7.network.Stack;
import ramz.ss7.settings.Settings;
import ramz.ss7.smpp.Front;
import ramz.ss7.sms.Parts;

/** The whole process: SMPP in front, MAP behind. */
public final class Gateway {
  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final int lookMs = 200;
  /** An association that comes and goes does not unbind anybody. */
  private static final int goneMs = 1_000;

  private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(4);
  private final Stack stack;
  private final Front front;
  private final Deliverer deliverer;
  private final Watch watch;
  private volatile boolean isUp;
  private long seenUpAt;

  public Gateway(Settings settings) throws Exception {
    var clock = Clock.systemUTC();
    stack = new Stack(settings);
    var exchanges = new Exchanges(stack.provider(), settings);
    front = new Front(settings.smpp(), clock, () -> isUp);
    watch = new Watch(settings, clock, stack::active);
    var parts = new Parts(stack.provider().getMAPSmsTpduParameterFactory());
    deliverer = new Deliverer(exchanges, parts, settings, clock, timers, (submission, outcome) -> {
      watch.count(submission, outcome);
      front.tell(submission, outcome);
    });
    watch.gauge("ss7_dialogues", "Dialogues under way.", exchanges::underWay);
    watch.gauge("ss7_messages_under_way", "Messages whose outcome is not known yet.", deliverer::underWay);
    watch.gauge("ss7_messages_waiting", "Messages for phones that are away or full.", deliverer::waiting);
    watch.gauge("ss7_smpp_binds", "Binds.", front::binds);
    watch.gauge("ss7_receipts_waiting", "Receipts that no bind has taken yet.", front::receiptsWaiting);
    stack.connect();
    front.listen(deliverer);
    watch.listen(settings.http());
    timers.scheduleWithFixedDelay(this::look, 0, lookMs, TimeUnit.MILLISECONDS);
  }

  public int smppPort() {
    return front.port();
  }

  public int httpPort() {
    return watch.port();
  }

  private void look() {
    long now = System.nanoTime() / 1_000_000;
    boolean isActive = !stack.active().isEmpty();
    if (isActive) {
      seenUpAt = now;
      if (!isUp) log.info("network: up");
      isUp = true;
    } else if (isUp && now - seenUpAt > goneMs) {
      log.warn("network: no association is active, clients are unbound");
      isUp = false;
      front.unbindAll();
    }
  }

  /** Takes nothing more, waits for what is under way, and ends. */
  public void stop(int patienceSeconds) throws Exception {
    front.refuseNew();
    long end = System.nanoTime() + patienceSeconds * 1_000_000_000L;
    while ((deliverer.underWay() > 0 || front.receiptsWaiting() > 0) && System.nanoTime() < end) Thread.sleep(50);
    timers.shutdownNow();
    front.stop();
    watch.stop();
    stack.stop();
  }
}
