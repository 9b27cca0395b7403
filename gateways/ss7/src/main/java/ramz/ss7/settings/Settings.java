// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.settings;

import java.util.List;
import java.util.stream.Stream;

/** The settings of a gateway, as {@code settings.schema.json} describes them. Times are in the unit that a name ends on. */
public record Settings(Smpp smpp, Http http, M3ua m3ua, Sccp sccp, MapSettings map) {
  /** The SMPP server, to which Ramz binds. */
  public record Smpp(String host, int port, String systemId, String password, int maxBinds, int enquireLinkSeconds) {}

  /** Metrics and health. */
  public record Http(String host, int port) {}

  /**
   * The way to the network.
   *
   * @param transport {@code sctp}, or {@code tcp} for tests
   * @param role {@code asp} to a signalling gateway; {@code ipsp_client} or {@code ipsp_server} to a peer
   * @param routingContext null = none is sent
   * @param networkAppearance null = none is sent
   */
  public record M3ua(
      String transport,
      String role,
      int pointCode,
      String networkIndicator,
      Long routingContext,
      Long networkAppearance,
      String trafficMode,
      List<Association> associations) {}

  /** One SCTP association, or TCP connection, to a peer with a point code. */
  public record Association(
      String name, String localHost, int localPort, String remoteHost, int remotePort, List<String> moreLocalHosts, int pointCode) {}

  /**
   * Addresses of the gateway and where those of others lead.
   *
   * @param globalTitle the gateway's own, E.164 digits
   */
  public record Sccp(String globalTitle, int ssn, int hlrSsn, int mscSsn, int sgsnSsn, int translationType, List<Route> routes) {
    /** The subsystems of others that messages go to. */
    public List<Integer> remoteSsns() {
      return Stream.of(hlrSsn, mscSsn, sgsnSsn).distinct().toList();
    }
  }

  /**
   * Where global titles lead that begin with these digits; "" = all others.
   *
   * @param backupPointCode null = there is none
   * @param routingIndicator {@code global_title} where the point code translates further, {@code subsystem} where messages end there
   */
  public record Route(String prefix, int pointCode, Integer backupPointCode, String routingIndicator) {}

  /**
   * Dialogues.
   *
   * @param serviceCentre the address that networks know this service centre by, E.164 digits
   * @param maxDialogues submissions beyond them are answered with ESME_RTHROTTLED
   * @param routingCacheSeconds for how long an answer of the HLR is used again; 0 = never
   */
  public record MapSettings(
      String serviceCentre,
      int maxDialogues,
      int routingTimeoutSeconds,
      int forwardTimeoutSeconds,
      int routingCacheSeconds,
      int retries,
      int retrySeconds) {}
}
