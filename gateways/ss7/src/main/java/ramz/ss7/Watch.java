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
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import ramz.ss7.delivery.Outcome;
import ramz.ss7.settings.Settings;
import ramz.ss7.sms.Submission;

/** {@code GET /metrics} in Prometheus' form, and {@code GET /healthz}: 200 while a message could leave, else 503. */
final class Watch {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Clock clock;
  private final Counter outcomes;
  private final Histogram seconds;
  private final Supplier<List<String>> active;
  private HTTPServer server;

  Watch(Settings settings, Clock clock, Supplier<List<String>> active) {
    this.clock = clock;
    this.active = active;
    outcomes =
        Counter.builder().name("ss7_messages_total").help("Messages by what became of them.").labelNames("state", "error").register(registry);
    seconds =
        Histogram.builder()
            .name("ss7_delivery_seconds")
            .help("From submit_sm to what became of the message.")
            .classicUpperBounds(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)
            .classicOnly()
            .register(registry);
    GaugeWithCallback.builder()
        .name("ss7_association_active")
        .help("1 while traffic can go over the association.")
        .labelNames("association")
        .callback(each -> {
          var names = active.get();
          for (var association : settings.m3ua().associations()) each.call(names.contains(association.name()) ? 1 : 0, association.name());
        })
        .register(registry);
  }

  void gauge(String name, String help, IntSupplier value) {
    GaugeWithCallback.builder().name(name).help(help).callback(each -> each.call(value.getAsInt())).register(registry);
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
    boolean isUp = !active.get().isEmpty();
    String body = isHealth ? (isUp ? "{\"status\":\"ok\"}\n" : "{\"status\":\"no association\"}\n") : "/metrics, /healthz\n";
    byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
    exchange.getResponseHeaders().set("content-type", isHealth ? "application/json" : "text/plain");
    exchange.sendResponseHeaders(isHealth ? (isUp ? 200 : 503) : 404, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
