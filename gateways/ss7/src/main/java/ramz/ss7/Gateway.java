// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ramz.ss7.delivery.Deliverer;
import ramz.ss7.network.Exchanges;
import ramz.ss7.network.Stack;
import ramz.ss7.settings.Settings;
import ramz.ss7.smpp.SmppServer;
import ramz.ss7.sms.Parts;

/** The whole process: SMPP in front, MAP behind. */
public final class Gateway {
  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final int lookMs = 200;
  /** An association that comes and goes does not unbind anybody. */
  private static final int goneMs = 1_000;

  private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(4);
  private final Stack stack;
  private final SmppServer smpp;
  private final Deliverer deliverer;
  private final Watch watch;
  private volatile boolean isUp;
  private long seenUpAt;

  public Gateway(Settings settings) throws Exception {
    var clock = Clock.systemUTC();
    stack = new Stack(settings);
    var peers = stack.peers();
    var exchanges = new Exchanges(stack.provider(), settings, peers::allCongested);
    watch = new Watch(clock, () -> !stack.active().isEmpty() && peers.anyAvailable());
    smpp = new SmppServer(settings.smpp(), clock, () -> isUp, watch.countDroppedReceipts());
    watchNetwork(settings);
    var parts = new Parts(stack.provider().getMAPSmsTpduParameterFactory());
    deliverer = new Deliverer(exchanges, parts, settings, clock, timers, (submission, outcome) -> {
      watch.count(submission, outcome);
      smpp.report(submission, outcome);
    });
    watch.gauge("ss7_dialogues", "Dialogues under way.", exchanges::underWay);
    watch.gauge("ss7_messages_under_way", "Messages whose outcome is not known yet.", deliverer::underWay);
    watch.gauge("ss7_messages_waiting", "Messages for phones that are away or full.", deliverer::waiting);
    watch.gauge("ss7_smpp_binds", "Binds.", smpp::binds);
    watch.gauge("ss7_receipts_waiting", "Receipts that no bind has acknowledged yet.", smpp::receiptsWaiting);
    stack.connect();
    smpp.listen(deliverer);
    watch.listen(settings.http());
    timers.scheduleWithFixedDelay(this::look, 0, lookMs, TimeUnit.MILLISECONDS);
  }

  public int smppPort() {
    return smpp.port();
  }

  public int httpPort() {
    return watch.port();
  }

  private void watchNetwork(Settings settings) {
    var peers = stack.peers();
    stack.onFault(watch.countFaults());
    stack.onTcapFault(watch.countTcapFaults());
    watch.gauges("ss7_association_active", "1 while traffic can go over the association.", List.of("association"), each -> {
      var active = stack.active();
      for (var association : settings.m3ua().associations()) each.call(active.contains(association.name()) ? 1 : 0, association.name());
    });
    watch.gauges("ss7_point_code_available", "1 while the point code can be reached.", List.of("point_code"), each -> {
      for (int pointCode : peers.pointCodes()) each.call(peers.isAvailable(pointCode) ? 1 : 0, String.valueOf(pointCode));
    });
    watch.gauges("ss7_point_code_congestion", "Level of congestion: 0 = none, to 3.", List.of("point_code"), each -> {
      for (int pointCode : peers.pointCodes()) each.call(peers.congestion(pointCode), String.valueOf(pointCode));
    });
    watch.gauges("ss7_subsystem_available", "0 while the point code has said that it is prohibited.", List.of("point_code", "ssn"), each -> {
      for (var subsystem : peers.subsystems())
        each.call(peers.isAvailable(subsystem) ? 1 : 0, String.valueOf(subsystem.pointCode()), String.valueOf(subsystem.number()));
    });
    watch.gauge("ss7_tcap_dialogues", "Dialogues that the stack holds, those of others too.", stack.provider()::getCurrentDialogsCount);
  }

  private void look() {
    try {
      stack.revive();
    } catch (Exception error) {
      log.warn("network: an association is not connected again: {}", error.getMessage());
    }
    long now = System.nanoTime() / 1_000_000;
    boolean isActive = watch.isUp();
    if (isActive) {
      seenUpAt = now;
      if (!isUp) log.info("network: up");
      isUp = true;
    } else if (isUp && now - seenUpAt > goneMs) {
      log.warn("network: nothing can be reached, clients are unbound");
      isUp = false;
      smpp.unbindAll();
    }
  }

  /** Takes nothing more, tries nothing again, waits for what is under way, and ends. */
  public void stop(int patienceSeconds) throws Exception {
    smpp.refuseNew();
    deliverer.stop();
    long end = System.nanoTime() + patienceSeconds * 1_000_000_000L;
    while ((deliverer.underWay() > 0 || smpp.receiptsWaiting() > 0) && System.nanoTime() < end) Thread.sleep(50);
    timers.shutdownNow();
    smpp.stop();
    watch.stop();
    stack.stop();
  }
}
