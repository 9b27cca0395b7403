// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.util.List;
import org.mobicents.protocols.ss7.indicator.RoutingIndicator;
import org.mobicents.protocols.ss7.sccp.LoadSharingAlgorithm;
import org.mobicents.protocols.ss7.sccp.OriginationType;
import org.mobicents.protocols.ss7.sccp.RuleType;
import org.mobicents.protocols.ss7.sccp.impl.SccpStackImpl;
import org.mobicents.protocols.ss7.sccp.impl.parameter.SccpAddressImpl;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;
import ramz.ss7.settings.Settings;
import ramz.ss7.settings.Settings.Association;
import ramz.ss7.settings.Settings.Route;

/**
 * The tables of SCCP. Messages go out by the global title of whom they are for and keep it, the longest prefix decides; they end at the
 * subsystem of the route's point code, or are translated further there, as the route says. Messages for the gateway's own global title end at
 * its subsystem.
 */
final class Routing {
  /** The whole global title stays as it is. */
  private static final String keep = "K";
  private static final int ownAddress = 1;
  private static final int none = -1;

  private final Settings settings;
  private final SccpStackImpl sccp;
  private final int userPart;
  private final GlobalTitles titles;

  Routing(Settings settings, SccpStackImpl sccp, int userPart) {
    this.settings = settings;
    this.sccp = sccp;
    this.userPart = userPart;
    titles = new GlobalTitles(settings.sccp().translationType());
  }

  void configure(String endsHere, int subsystem) throws Exception {
    addPeers();
    addOwnTitle(endsHere, subsystem);
    addRoutes();
  }

  private void addPeers() throws Exception {
    var router = sccp.getRouter();
    var resource = sccp.getSccpResource();
    var m3ua = settings.m3ua();
    router.addMtp3ServiceAccessPoint(1, userPart, m3ua.pointCode(), networkIndicator(m3ua.networkIndicator()), 0);
    List<Integer> subsystems = settings.sccp().remoteSsns();
    List<Integer> peers = m3ua.associations().stream().map(Association::pointCode).distinct().toList();
    for (int at = 0; at < peers.size(); at += 1) {
      int peer = peers.get(at);
      resource.addRemoteSpc(at + 1, peer, 0, 0);
      for (int each = 0; each < subsystems.size(); each += 1)
        resource.addRemoteSsn(subsystems.size() * at + each + 1, peer, subsystems.get(each), 0, false);
      router.addMtp3Destination(1, at + 1, peer, peer, 0, 255, 255);
    }
  }

  private void addOwnTitle(String endsHere, int subsystem) throws Exception {
    int pointCode = settings.m3ua().pointCode();
    sccp.getRouter().addRoutingAddress(ownAddress, address(RoutingIndicator.ROUTING_BASED_ON_DPC_AND_SSN, "-", pointCode, subsystem));
    addRule(1, RuleType.SOLITARY, OriginationType.REMOTE, endsHere, ownAddress, none);
  }

  private void addRoutes() throws Exception {
    int address = ownAddress;
    int rule = 1;
    // The router takes the first pattern that fits, and knows exact ones first: the longest prefix has to come before the others.
    var byLength = settings.sccp().routes().stream().sorted((a, b) -> b.prefix().length() - a.prefix().length()).toList();
    for (Route route : byLength) {
      boolean endsThere = route.routingIndicator().equals("subsystem");
      var indicator = endsThere ? RoutingIndicator.ROUTING_BASED_ON_DPC_AND_SSN : RoutingIndicator.ROUTING_BASED_ON_GLOBAL_TITLE;
      int first = ++address;
      sccp.getRouter().addRoutingAddress(first, address(indicator, "-", route.pointCode(), 0));
      int second = none;
      if (route.backupPointCode() != null) {
        second = ++address;
        sccp.getRouter().addRoutingAddress(second, address(indicator, "-", route.backupPointCode(), 0));
      }
      var type = second == none ? RuleType.SOLITARY : RuleType.DOMINANT;
      addRule(++rule, type, OriginationType.LOCAL, route.prefix() + "*", first, second);
    }
  }

  private void addRule(int id, RuleType type, OriginationType origin, String pattern, int first, int second) throws Exception {
    var fits = address(RoutingIndicator.ROUTING_BASED_ON_GLOBAL_TITLE, pattern, 0, 0);
    sccp.getRouter().addRule(id, type, LoadSharingAlgorithm.Bit0, origin, fits, keep, first, second, null, 0, null);
  }

  private SccpAddress address(RoutingIndicator indicator, String digits, int pointCode, int ssn) {
    return new SccpAddressImpl(indicator, titles.of(digits), pointCode, ssn);
  }

  private static int networkIndicator(String name) {
    return List.of("international", "international_spare", "national", "national_spare").indexOf(name);
  }
}
