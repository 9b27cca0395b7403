// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7;

import com.sun.net.httpserver.HttpExchange;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Submission;

/** {@code GET /metrics} in Prometheus' form, and {@code GET /healthz}: 200 while a message could leave, else 503. */
final class Watch {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Clock clock;
  private final Counter outcomes;
  private final Histogram seconds;
  private final BooleanSupplier isUp;
  private HTTPServer server;

  /** @param isUp whether a message could leave */
  Watch(Clock clock, BooleanSupplier isUp) {
    this.clock = clock;
    this.isUp = isUp;
    outcomes =
        Counter.builder().name("ss7_messages_total").help("Messages by what became of them.").labelNames("state", "error").register(registry);
    seconds =
        Histogram.builder()
            .name("ss7_delivery_seconds")
            .help("From submit_sm to what became of the message.")
            .classicUpperBounds(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)
            .classicOnly()
            .register(registry);
  }

  boolean isUp() {
    return isUp.getAsBoolean();
  }

  void gauge(String name, String help, IntSupplier value) {
    gauges(name, help, List.of(), each -> each.call(value.getAsInt()));
  }

  /** @param values calls what it is given with a value and its labels, for each series */
  void gauges(String name, String help, List<String> labels, Consumer<GaugeWithCallback.Callback> values) {
    GaugeWithCallback.builder().name(name).help(help).labelNames(labels.toArray(String[]::new)).callback(values).register(registry);
  }

  /** Counts receipts that will never be acknowledged, by the reason. */
  Consumer<String> countDroppedReceipts() {
    var dropped = Counter.builder().name("ss7_receipts_dropped_total").help("Receipts that were given up.").labelNames("reason").register(registry);
    return reason -> dropped.labelValues(reason).inc();
  }

  /** Counts messages of TCAP that were left out. */
  Runnable countTcapFaults() {
    var faults = Counter.builder().name("ss7_tcap_refused_total").help("Messages of TCAP whose lengths do not fit.").register(registry);
    return faults::inc;
  }

  /** Counts messages that were refused by association and fault. */
  BiConsumer<String, String> countFaults() {
    var faults =
        Counter.builder()
            .name("ss7_m3ua_refused_total")
            .help("Messages of M3UA that could not be read.")
            .labelNames("association", "fault")
            .register(registry);
    return (association, fault) -> faults.labelValues(association, fault).inc();
  }

  void count(Submission submission, Outcome outcome) {
    outcomes.labelValues(outcome.state(), outcome.name()).inc();
    seconds.observe(Duration.between(submission.submittedAt(), clock.instant()).toNanos() / 1e9);
  }

  void listen(Settings.Http settings) throws IOException {
    server =
        HTTPServer.builder()
            .hostname(settings.host())
            .port(settings.port())
            .registry(registry)
            .registerHealthHandler(false)
            .defaultHandler(this::health)
            .buildAndStart();
  }

  int port() {
    return server.getPort();
  }

  void stop() {
    server.close();
  }

  private void health(HttpExchange exchange) throws IOException {
    boolean isHealth = exchange.getRequestURI().getPath().equals("/healthz");
    boolean isUp = isUp();
    String body = isHealth ? (isUp ? "{\"status\":\"ok\"}\n" : "{\"status\":\"nothing can be reached\"}\n") : "/metrics, /healthz\n";
    byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
    exchange.getResponseHeaders().set("content-type", isHealth ? "application/json" : "text/plain");
    exchange.sendResponseHeaders(isHealth ? (isUp ? 200 : 503) : 404, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
