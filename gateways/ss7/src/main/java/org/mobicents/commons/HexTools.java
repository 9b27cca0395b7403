// SPDX-License-Identifier: AGPL-3.0-only
package org.mobicents.commons;

/**
 * In place of the class of this name that the SS7 stack makes texts of messages with: no octet of a message belongs into a log. Without any, an error
 * about one message would end in a missing class, and cost the association.
 */
public final class HexTools {
  private HexTools() {}

  /** How many octets there are, and none of them. */
  public static StringBuffer dump(byte[] octets, int from) {
    return new StringBuffer().append(octets.length - from).append(" octets");
  }
}
