// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import java.io.IOException;
import org.mobicents.protocols.api.Association;
import org.mobicents.protocols.api.IpChannelType;
import org.mobicents.protocols.sctp.AssociationMap;
import org.mobicents.protocols.sctp.netty.NettySctpManagementImpl;

/**
 * The library's associations, also several of a host that each have any free port (0), and several to the same port of a peer. The library by itself takes
 * two such for one; what really is one is found before ({@link ramz.ss7.settings.SettingsFile}).
 */
final class Transport extends NettySctpManagementImpl {
  Transport(String name) throws IOException {
    super(name);
  }

  @Override
  public Association addAssociation(
      String host, int port, String peerHost, int peerPort, String name, IpChannelType channel, String[] moreHosts) throws Exception {
    var others = associations;
    associations = new AssociationMap<>();
    try {
      return super.addAssociation(host, port, peerHost, peerPort, name, channel, moreHosts);
    } finally {
      var all = new AssociationMap<String, Association>();
      all.putAll(others);
      all.putAll(associations);
      associations = all;
    }
  }
}
