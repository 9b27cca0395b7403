// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import org.mobicents.protocols.ss7.indicator.NatureOfAddress;
import org.mobicents.protocols.ss7.indicator.NumberingPlan;
import org.mobicents.protocols.ss7.indicator.RoutingIndicator;
import org.mobicents.protocols.ss7.sccp.impl.parameter.ParameterFactoryImpl;
import org.mobicents.protocols.ss7.sccp.impl.parameter.SccpAddressImpl;
import org.mobicents.protocols.ss7.sccp.parameter.GlobalTitle;
import org.mobicents.protocols.ss7.sccp.parameter.SccpAddress;

/** Global titles in the form that mobile networks use: 0100, E.164, international (ITU-T Q.713, 3.4.2.3.4). */
public final class GlobalTitles {
  private final ParameterFactoryImpl factory = new ParameterFactoryImpl();
  private final int translationType;

  public GlobalTitles(int translationType) {
    this.translationType = translationType;
  }

  public GlobalTitle of(String digits) {
    return factory.createGlobalTitle(
        digits, translationType, NumberingPlan.ISDN_TELEPHONY, null, NatureOfAddress.INTERNATIONAL);
  }

  /** Whom a message is for, or from whom it comes: by global title. */
  public SccpAddress address(String digits, int ssn) {
    return new SccpAddressImpl(RoutingIndicator.ROUTING_BASED_ON_GLOBAL_TITLE, of(digits), 0, ssn);
  }
}
