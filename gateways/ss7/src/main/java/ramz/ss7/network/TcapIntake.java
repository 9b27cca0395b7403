// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import org.mobicents.protocols.ss7.sccp.NetworkIdState;
import org.mobicents.protocols.ss7.sccp.RemoteSccpStatus;
import org.mobicents.protocols.ss7.sccp.SccpListener;
import org.mobicents.protocols.ss7.sccp.SignallingPointStatus;
import org.mobicents.protocols.ss7.sccp.message.SccpDataMessage;
import org.mobicents.protocols.ss7.sccp.message.SccpNoticeMessage;

/**
 * Stands between SCCP and TCAP, and hands on messages whose lengths fit. The stack reserves memory for what an identifier says its length is: one message of a
 * hundred octets would take two gigabytes.
 */
final class TcapIntake implements SccpListener {
  private static final long serialVersionUID = 1;

  private final transient SccpListener tcap;
  private final transient Runnable onFault;

  TcapIntake(SccpListener tcap, Runnable onFault) {
    this.tcap = tcap;
    this.onFault = onFault;
  }

  @Override
  public void onMessage(SccpDataMessage message) {
    if (Ber.isWhole(message.getData())) tcap.onMessage(message);
    else onFault.run();
  }

  @Override
  public void onNotice(SccpNoticeMessage message) {
    if (Ber.isWhole(message.getData())) tcap.onNotice(message);
    else onFault.run();
  }

  @Override
  public void onCoordResponse(int subsystem, int multiplicity) {
    tcap.onCoordResponse(subsystem, multiplicity);
  }

  @Override
  public void onState(int pointCode, int subsystem, boolean isInService, int multiplicity) {
    tcap.onState(pointCode, subsystem, isInService, multiplicity);
  }

  @Override
  public void onPcState(int pointCode, SignallingPointStatus status, Integer restrictedImportance, RemoteSccpStatus sccp) {
    tcap.onPcState(pointCode, status, restrictedImportance, sccp);
  }

  @Override
  public void onNetworkIdState(int network, NetworkIdState state) {
    tcap.onNetworkIdState(network, state);
  }
}
